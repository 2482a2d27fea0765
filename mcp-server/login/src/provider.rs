//! [`Provider`]: who knows the users, and how the server asks.
//!
//! A provider is data: an issuer for [`openid`], or a table of URLs and a function for [`oauth2`]. The
//! `presets` fill in what is known of well-known providers. Both send their requests with [`net`], and
//! get tokens as [`tokens`] describes.

pub(crate) mod error;
pub(crate) mod id_token;
pub(crate) mod net;
pub(crate) mod oauth2;
pub(crate) mod openid;
mod presets;
pub(crate) mod tokens;

use std::fmt;

use mcp_types::json::Value;

use self::error::ProviderError;
use self::net::Net;
use self::oauth2::OAuth2;
use self::openid::OpenId;
use self::tokens::{ProviderClient, ProviderTokens};
use crate::user::User;

pub use self::oauth2::ProviderUrls;

/// Who knows the users: GitHub, Google, the identity provider of a company.
///
/// The server is registered there as a client, with the redirect URI
/// [`Login::callback_url`](crate::Login::callback_url). `docs/providers.md` has the settings for each
/// provider.
///
/// ```
/// use mcp_login::Provider;
///
/// let github = Provider::github("Iv1.8a61f9b3a7aba766", "secret").scope("read:org");
/// let company = Provider::openid("https://id.example.com", "mcp", "secret").name("Example");
/// # drop((github, company));
/// ```
#[must_use = "a provider does nothing until it is passed to `Login::builder`"]
pub struct Provider {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) kind: ProviderKind,
}

pub(crate) enum ProviderKind {
    OpenId(OpenId),
    OAuth2(OAuth2),
    Local(Vec<User>),
}

/// What a login at a provider is bound to. Nothing of it is known to others, except the state and the
/// digests of the nonce and the verifier.
pub(crate) struct LoginAttempt<'a> {
    pub(crate) callback: &'a str,
    pub(crate) state: &'a str,
    pub(crate) nonce: &'a str,
    pub(crate) verifier: &'a str,
}

impl Provider {
    /// A provider with OpenID Connect: its issuer, such as `https://id.example.com`, and the id and
    /// secret that it gave the server. All other settings come from its metadata.
    pub fn openid(
        issuer: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        let issuer = issuer.into();
        let key = issuer.split_once("://").map_or(&*issuer, |(_, rest)| rest);
        let key = key.trim_end_matches('/').to_owned();
        let client = ProviderClient::new(client_id, client_secret);
        let client = client.scopes(["openid", "profile", "email"]);
        Self {
            name: key.split('/').next().unwrap_or_default().to_owned(),
            key,
            kind: ProviderKind::OpenId(OpenId::new(issuer, client)),
        }
    }

    /// A provider of one's own with plain OAuth 2.0: a key that distinguishes it from others, its URLs,
    /// and a function that reads the documents of the user. They are in the order of
    /// [`ProviderUrls::user`]; one that was not loaded is `null`. The function returns `None` if a
    /// document is not as expected.
    ///
    /// ```
    /// use mcp_login::{Provider, ProviderUrls, User};
    ///
    /// let urls = ProviderUrls::new("https://id.example.com/authorize", "https://id.example.com/token")
    ///     .user("https://id.example.com/me");
    /// let provider = Provider::custom("example", urls, "id", "secret", |documents| {
    ///     let me = documents.first()?;
    ///     let user = User::new(me.get("id")?.as_str()?);
    ///     Some(user.email(me.get("mail")?.as_str()?, false))
    /// });
    /// # drop(provider);
    /// ```
    pub fn custom(
        key: impl Into<String>,
        urls: ProviderUrls,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        read_user: impl Fn(&[Value]) -> Option<User> + Send + Sync + 'static,
    ) -> Self {
        let key = key.into();
        let client = ProviderClient::new(client_id, client_secret);
        Self {
            name: key.clone(),
            key,
            kind: ProviderKind::OAuth2(OAuth2::new(urls, client, read_user)),
        }
    }

    /// Users without a password, for development and tests without a network: a page lets the browser
    /// choose one of them. [`build`](crate::LoginBuilder::build) accepts it only for a server at a
    /// loopback address.
    pub fn local(users: impl IntoIterator<Item = User>) -> Self {
        Self {
            key: "local".to_owned(),
            name: "Local users".to_owned(),
            kind: ProviderKind::Local(users.into_iter().collect()),
        }
    }

    /// Sets the name that users see.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds a scope that the server requests from the provider, for example for
    /// [`ProviderToken`](crate::ProviderToken).
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        if let Some(client) = self.client_mut() {
            client.scopes.push(scope.into());
        }
        self
    }

    /// Adds a parameter to the URL to which users are sent, such as `prompt`.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Some(client) = self.client_mut() {
            client.params.push((name.into(), value.into()));
        }
        self
    }

    /// Sets the claim of an OpenID provider that lists the [groups](field@User::groups) of a user.
    /// Default: `groups`. A JSON pointer, such as `/realm_access/roles`, names a nested claim.
    pub fn groups_claim(mut self, claim: impl Into<String>) -> Self {
        if let ProviderKind::OpenId(openid) = &mut self.kind {
            openid.groups_claim = claim.into();
        }
        self
    }

    /// Sets the claim of an OpenID provider with the [organization](field@User::organization) of a user.
    pub fn organization_claim(mut self, claim: impl Into<String>) -> Self {
        if let ProviderKind::OpenId(openid) = &mut self.kind {
            openid.organization_claim = Some(claim.into());
        }
        self
    }

    /// Returns the scopes that the server requests from the provider.
    pub(crate) fn scopes(&self) -> &[String] {
        match &self.kind {
            ProviderKind::OpenId(openid) => &openid.client.scopes,
            ProviderKind::OAuth2(oauth2) => &oauth2.client.scopes,
            ProviderKind::Local(_) => &[],
        }
    }

    fn client_mut(&mut self) -> Option<&mut ProviderClient> {
        match &mut self.kind {
            ProviderKind::OpenId(openid) => Some(&mut openid.client),
            ProviderKind::OAuth2(oauth2) => Some(&mut oauth2.client),
            ProviderKind::Local(_) => None,
        }
    }

    /// Returns the URL whose host decides which addresses the URLs of the provider may have.
    pub(crate) fn main_url(&self) -> Option<&str> {
        match &self.kind {
            ProviderKind::OpenId(openid) => Some(&openid.issuer),
            ProviderKind::OAuth2(oauth2) => Some(&oauth2.urls.token),
            ProviderKind::Local(_) => None,
        }
    }

    /// Returns the URL at the provider to which a browser is sent. `None` for local users.
    pub(crate) async fn authorization_url(
        &self,
        net: &Net,
        attempt: &LoginAttempt<'_>,
    ) -> Result<Option<String>, ProviderError> {
        let url = match &self.kind {
            ProviderKind::OpenId(openid) => openid.authorization_url(net, attempt).await?,
            ProviderKind::OAuth2(oauth2) => oauth2.authorization_url(attempt),
            ProviderKind::Local(_) => return Ok(None),
        };
        net.check_for_browser(&url)?;
        Ok(Some(url))
    }

    /// Exchanges a code for tokens, and returns who the user is. `issuer` is the parameter `iss` of the
    /// redirect.
    pub(crate) async fn complete(
        &self,
        net: &Net,
        attempt: &LoginAttempt<'_>,
        code: &str,
        issuer: Option<&str>,
    ) -> Result<(User, ProviderTokens), ProviderError> {
        let (mut user, tokens) = match &self.kind {
            ProviderKind::OpenId(openid) => openid.complete(net, attempt, code, issuer).await?,
            ProviderKind::OAuth2(oauth2) => oauth2.complete(net, attempt, code).await?,
            ProviderKind::Local(_) => {
                return Err(ProviderError::User("local users have no code"));
            }
        };
        user.provider.clone_from(&self.key);
        if user.id.is_empty() {
            return Err(ProviderError::User("the user has no identifier"));
        }
        Ok((user, tokens))
    }

    /// Renews tokens.
    pub(crate) async fn refresh(
        &self,
        net: &Net,
        tokens: &ProviderTokens,
    ) -> Result<ProviderTokens, ProviderError> {
        let refreshed = match &self.kind {
            ProviderKind::OpenId(openid) => openid.refresh(net, tokens).await?,
            ProviderKind::OAuth2(oauth2) => oauth2.refresh(net, tokens).await?,
            ProviderKind::Local(_) => return Ok(tokens.clone()),
        };
        Ok(refreshed.or_keep(tokens))
    }

    /// Returns the local users.
    pub(crate) fn local_users(&self) -> &[User] {
        match &self.kind {
            ProviderKind::Local(users) => users,
            _ => &[],
        }
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("key", &self.key)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
