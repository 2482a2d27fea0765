//! [`Login`]: an authorization server for one MCP server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::clients::document::DocumentLoader;
use crate::provider::error::ProviderError;
use crate::provider::net::Net;
use crate::provider::tokens::ProviderTokens;
use crate::provider::{LoginAttempt, Provider};
use crate::urls::Urls;
use crate::user::User;
use crate::web::cookies::CookieJar;

/// Lets users log in with the accounts that they have: an authorization server for one MCP server,
/// which sends users to a [`Provider`] and issues its own tokens.
///
/// It is an [`Authenticate`](mcp_server::Authenticate), so that
/// [`HttpConfig::authenticate`](mcp_server::HttpConfig::authenticate) takes it. The [documentation of the
/// crate](crate) explains what clients and users see. Cheap to clone.
///
/// ```no_run
/// use mcp_login::{Login, Provider};
/// use mcp_server::{Http, HttpConfig, Server};
///
/// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
/// let github = Provider::github(std::env::var("GITHUB_ID")?, std::env::var("GITHUB_SECRET")?);
/// let login = Login::builder(github.scope("read:org"), "https://mcp.example.com")
///     .allow(|user| user.is_in("acme"))
///     .build()?;
/// let config = HttpConfig::new().allow_hosts(["mcp.example.com"]);
/// server.serve(Http::at("0.0.0.0:8080").config(config).authenticate(login)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Login(pub(crate) Arc<LoginServer>);

/// Decides whether a user may log in.
pub(crate) type Allow = dyn Fn(&User) -> bool + Send + Sync;
/// Returns the scopes that a user may have.
pub(crate) type UserScopes = dyn Fn(&User) -> Vec<String> + Send + Sync;

/// What the clones of a [`Login`] share. Everything that changes is in the store of the server or in
/// sealed texts; only what was loaded from a provider is kept in memory.
pub(crate) struct LoginServer {
    pub(crate) urls: Urls,
    /// A short text that differs for each public URL and resource.
    pub(crate) realm: String,
    pub(crate) cookies: CookieJar,
    pub(crate) provider: Provider,
    /// `None` for local users.
    pub(crate) net: Option<Net>,
    pub(crate) documents: DocumentLoader,
    pub(crate) times: Times,
    pub(crate) allow: Box<Allow>,
    pub(crate) scopes: Option<Box<UserScopes>>,
    /// The scopes that all requests require.
    pub(crate) required: Vec<String>,
    /// The scopes in the metadata, which begin with the required ones.
    pub(crate) supported: Vec<String>,
    /// The name of the server, for users.
    pub(crate) name: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Until an access token expires.
    pub(crate) access: Duration,
    /// Until a session ends and the user has to log in again.
    pub(crate) session: Duration,
    /// The maximum time of all requests to the provider for one step of a login.
    pub(crate) provider: Duration,
}

impl Login {
    /// Returns the URL to which the provider redirects users. It is entered in the console of the
    /// provider.
    #[must_use]
    pub fn callback_url(&self) -> &str {
        self.0.urls.callback()
    }

    /// Returns the URL of the page where users see and end their sessions.
    #[must_use]
    pub fn sessions_url(&self) -> String {
        self.0.urls.at(crate::endpoints::SESSIONS)
    }
}

impl LoginServer {
    pub(crate) fn allows(&self, user: &User) -> bool {
        (self.allow)(user)
    }

    /// Returns the scopes that a user may have.
    fn user_scopes(&self, user: &User) -> Vec<String> {
        match &self.scopes {
            Some(scopes) => scopes(user),
            None => self.supported.clone(),
        }
    }

    /// Returns `true` if all users may do the same, without scopes.
    pub(crate) fn has_no_scopes(&self) -> bool {
        self.scopes.is_none() && self.supported.is_empty()
    }

    /// Returns the scopes that a user gets for a request: what was requested, as far as the user may
    /// have it. A request without scopes is for all of them.
    pub(crate) fn granted_scopes(&self, user: &User, requested: &[String]) -> Vec<String> {
        if requested.is_empty() {
            return self.user_scopes(user);
        }
        self.permitted_scopes(user, requested)
    }

    /// Returns those of some scopes that a user may have.
    pub(crate) fn permitted_scopes(&self, user: &User, scopes: &[String]) -> Vec<String> {
        let permitted = self.user_scopes(user);
        let scopes = scopes.iter().filter(|scope| permitted.contains(scope));
        scopes.cloned().collect()
    }

    /// Returns the URL at the provider to which a browser is sent. `None` for local users.
    pub(crate) async fn provider_url(
        &self,
        attempt: &LoginAttempt<'_>,
    ) -> Result<Option<String>, ProviderError> {
        match &self.net {
            Some(net) => {
                self.in_time(self.provider.authorization_url(net, attempt))
                    .await
            }
            None => Ok(None),
        }
    }

    /// Exchanges a code of the provider for the user and the tokens of the user.
    pub(crate) async fn complete(
        &self,
        attempt: &LoginAttempt<'_>,
        code: &str,
        issuer: Option<&str>,
    ) -> Result<(User, ProviderTokens), ProviderError> {
        let net = self.net()?;
        self.in_time(self.provider.complete(net, attempt, code, issuer))
            .await
    }

    /// Renews the tokens of a user at the provider.
    pub(crate) async fn refresh(
        &self,
        tokens: &ProviderTokens,
    ) -> Result<ProviderTokens, ProviderError> {
        let net = self.net()?;
        self.in_time(self.provider.refresh(net, tokens)).await
    }

    fn net(&self) -> Result<&Net, ProviderError> {
        self.net
            .as_ref()
            .ok_or(ProviderError::User("local users have no tokens"))
    }

    async fn in_time<T>(
        &self,
        requests: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let limit = self.times.provider;
        // Boxed, because the requests have large states.
        let done = timeout(limit, Box::pin(requests)).await;
        done.unwrap_or(Err(ProviderError::Timeout(limit)))
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("issuer", &self.0.urls.issuer())
            .field("resource", &self.0.urls.resource())
            .field("provider", &self.0.provider)
            .field("required_scopes", &self.0.required)
            .finish_non_exhaustive()
    }
}
