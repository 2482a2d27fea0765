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
mod urls;

use std::fmt;

use mcp_oauth::Secret;
use mcp_types::json::Value;
use serde::{Deserialize, Serialize};

use self::error::ProviderError;
use self::net::Net;
use self::oauth2::OAuth2;
use self::openid::{CACHE_TIME, OpenId};
use self::tokens::{ProviderClient, ProviderTokens};
use crate::user::User;

pub use self::urls::ProviderUrls;

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
    /// The server as its client. Empty for local users.
    pub(crate) client: ProviderClient,
    pub(crate) kind: ProviderKind,
}

pub(crate) enum ProviderKind {
    OpenId(OpenId),
    OAuth2(OAuth2),
    Local(Vec<User>),
}

/// What a login at a provider is bound to. Nothing of it is known to others, except the state and the
/// digests of the nonce and the verifier.
#[derive(Serialize, Deserialize)]
pub(crate) struct LoginAttempt {
    pub(crate) state: String,
    pub(crate) nonce: Secret,
    pub(crate) verifier: Secret,
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
        let provider = Self {
            name: key.split('/').next().unwrap_or_default().to_owned(),
            key,
            client: ProviderClient::new(client_id, client_secret),
            kind: ProviderKind::OpenId(OpenId::new(issuer)),
        };
        provider.scope("openid").scope("profile").scope("email")
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
        let read_user = Box::new(read_user);
        Self {
            name: key.clone(),
            key,
            client: ProviderClient::new(client_id, client_secret),
            kind: ProviderKind::OAuth2(OAuth2 { urls, read_user }),
        }
    }

    /// Users without a password, for development and tests without a network: a page lets the browser
    /// choose one of them. [`build`](crate::LoginBuilder::build) accepts it only for a server at a
    /// loopback address.
    pub fn local(users: impl IntoIterator<Item = User>) -> Self {
        Self {
            key: "local".to_owned(),
            name: "Local users".to_owned(),
            client: ProviderClient::default(),
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
        self.client.scopes.push(scope.into());
        self
    }

    /// Adds a parameter to the URL to which users are sent, such as `prompt`.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.client.params.push((name.into(), value.into()));
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

    /// Returns the URL whose host decides which addresses the URLs of the provider may have.
    pub(crate) fn main_url(&self) -> Option<&str> {
        match &self.kind {
            ProviderKind::OpenId(openid) => Some(&openid.issuer),
            ProviderKind::OAuth2(oauth2) => Some(&oauth2.urls.token),
            ProviderKind::Local(_) => None,
        }
    }

    async fn urls(&self, net: &Net) -> Result<ProviderUrls, ProviderError> {
        match &self.kind {
            ProviderKind::OpenId(openid) => Ok(openid.load(net, CACHE_TIME).await?.urls.clone()),
            ProviderKind::OAuth2(oauth2) => Ok(oauth2.urls.clone()),
            ProviderKind::Local(_) => Err(ProviderError::User("local users have no tokens")),
        }
    }

    /// Returns the URL at the provider to which a browser is sent.
    pub(crate) async fn authorization_url(
        &self,
        net: &Net,
        attempt: &LoginAttempt,
    ) -> Result<String, ProviderError> {
        let endpoint = self.urls(net).await?.authorization;
        let has_nonce = matches!(self.kind, ProviderKind::OpenId(_));
        let url = self.client.authorization_url(&endpoint, attempt, has_nonce);
        net.check_for_browser(&url)?;
        Ok(url)
    }

    /// Exchanges a code for tokens, and returns who the user is. `issuer` is the parameter `iss` of the
    /// redirect.
    pub(crate) async fn complete(
        &self,
        net: &Net,
        attempt: &LoginAttempt,
        code: &str,
        issuer: Option<&str>,
    ) -> Result<(User, ProviderTokens), ProviderError> {
        if let ProviderKind::OpenId(openid) = &self.kind {
            openid.check_redirect(net, issuer).await?;
        }
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &*self.client.redirect_uri),
            ("code_verifier", attempt.verifier.expose()),
        ];
        let urls = self.urls(net).await?;
        let response = self.client.request(net, &urls, &form).await?;
        let (mut user, tokens) = match &self.kind {
            ProviderKind::OpenId(openid) => {
                openid.user(net, &self.client.id, attempt, response).await?
            }
            ProviderKind::OAuth2(oauth2) => {
                let (tokens, scopes) = (response.tokens, &self.client.scopes);
                (oauth2.user(net, scopes, &tokens.access).await?, tokens)
            }
            ProviderKind::Local(_) => return Err(ProviderError::User("local users have no code")),
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
        let refresh = tokens.refresh.as_ref();
        let refresh = refresh.ok_or(ProviderError::Missing("refresh_token"))?;
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose()),
        ];
        let urls = self.urls(net).await?;
        let renewed = self.client.request(net, &urls, &form).await?;
        if let ProviderKind::OpenId(openid) = &self.kind {
            openid.check_renewed(net, &renewed, tokens).await?;
        }
        // A refresh token that the provider did not replace stays valid.
        let refresh = renewed.tokens.refresh.or_else(|| tokens.refresh.clone());
        Ok(ProviderTokens {
            refresh,
            subject: tokens.subject.clone(),
            ..renewed.tokens
        })
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
