//! [`User`]: what a provider says about the user who has logged in.

use std::fmt;

use mcp_types::json::{Object, Value};
use serde::{Deserialize, Serialize};

/// The maximum number of groups of a user. Further ones are left out.
const GROUPS: usize = 500;
/// The maximum size of a user as JSON, in bytes.
pub(crate) const USER_BYTES: usize = 48 << 10;

/// What a provider says about the user who has logged in.
///
/// The functions of [`LoginBuilder::allow`](crate::LoginBuilder::allow) and
/// [`LoginBuilder::scopes`](crate::LoginBuilder::scopes) get it, and the claims of the
/// [`AccessToken`](mcp_server::AccessToken) contain it, without the claims of the provider. Texts are
/// empty if the provider does not say them.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct User {
    /// The provider, such as `github`, or the host and path of an OpenID issuer.
    pub provider: String,
    /// The identifier at the provider, which never changes and is never given to another user.
    pub id: String,
    /// The name by which the user logs in. It can change, and then belong to somebody else: do not
    /// store it to recognize the user.
    pub login: String,
    /// The name of the user, for people.
    pub name: String,
    /// The email address. Look at [`email_verified`](Self::email_verified) before a decision depends
    /// on it: some providers let users enter any address.
    pub email: String,
    /// Whether the provider says that the address belongs to the user. `false` if it says nothing.
    pub email_verified: bool,
    /// Groups, roles, organizations or teams at the provider, as `docs/providers.md` lists them.
    pub groups: Vec<String>,
    /// The organization to which the account belongs: the domain of Google Workspace, the tenant of
    /// Microsoft, the workspace of Slack.
    pub organization: String,
    /// All claims of an OpenID provider. Empty for others.
    pub claims: Object,
}

impl User {
    /// Creates a user, for a provider [of one's own](crate::Provider::custom) and for
    /// [tests](crate::Provider::local).
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Sets the name by which the user logs in.
    #[must_use]
    pub fn login(mut self, login: impl Into<String>) -> Self {
        self.login = login.into();
        self
    }

    /// Sets the name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the email address, and whether the provider says that it belongs to the user.
    #[must_use]
    pub fn email(mut self, email: impl Into<String>, is_verified: bool) -> Self {
        self.email = email.into();
        self.email_verified = is_verified && !self.email.is_empty();
        self
    }

    /// Sets the groups.
    #[must_use]
    pub fn groups<T: Into<String>>(mut self, groups: impl IntoIterator<Item = T>) -> Self {
        self.groups = groups.into_iter().take(GROUPS).map(Into::into).collect();
        self
    }

    /// Sets the organization.
    #[must_use]
    pub fn organization(mut self, organization: impl Into<String>) -> Self {
        self.organization = organization.into();
        self
    }

    /// Returns `true` if the user has a group, role, organization or team with this name.
    #[must_use]
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|own| own == group)
    }

    /// Returns the subject of the access tokens of the user: the provider and the identifier. So users
    /// of another provider are never taken for each other.
    #[must_use]
    pub fn subject(&self) -> String {
        format!("{}|{}", self.provider, self.id)
    }

    /// Returns the name for pages: the first that is known of name, login, email and identifier.
    pub(crate) fn shown(&self) -> &str {
        let names = [&self.name, &self.login, &self.email];
        let known = names.into_iter().find(|name| !name.is_empty());
        known.map_or(&self.id, |name| name)
    }

    /// Returns the claims of access tokens.
    pub(crate) fn token_claims(&self) -> Object {
        let mut claims = Object::new();
        claims.insert("provider", self.provider.as_str());
        let texts = [
            ("preferred_username", &self.login),
            ("name", &self.name),
            ("email", &self.email),
            ("organization", &self.organization),
        ];
        for (name, text) in texts {
            if !text.is_empty() {
                claims.insert(name, text.as_str());
            }
        }
        if !self.email.is_empty() {
            claims.insert("email_verified", self.email_verified);
        }
        if !self.groups.is_empty() {
            let groups = self.groups.iter().map(|group| Value::from(group.as_str()));
            claims.insert("groups", groups.collect::<Value>());
        }
        claims
    }
}

/// The claims may contain personal data, so only their names are written.
impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User")
            .field("provider", &self.provider)
            .field("id", &self.id)
            .field("login", &self.login)
            .field("email_verified", &self.email_verified)
            .field("groups", &self.groups)
            .field("organization", &self.organization)
            .field("claims", &self.claims.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
