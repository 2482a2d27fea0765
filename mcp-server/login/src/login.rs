//! [`Login`]: an authorization server for one MCP server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::clients::document::DocumentLoader;
use crate::provider::Provider;
use crate::provider::net::Net;
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
    /// The time until an access token expires.
    pub(crate) access_time: Duration,
    /// The time until a session ends and the user has to log in again.
    pub(crate) session_time: Duration,
    pub(crate) allow: Box<Allow>,
    pub(crate) scopes: Option<Box<UserScopes>>,
    /// The scopes that all requests require.
    pub(crate) required: Vec<String>,
    /// The scopes in the metadata, which begin with the required ones.
    pub(crate) supported: Vec<String>,
    /// The name of the server, for users.
    pub(crate) name: String,
}

impl Login {
    /// Returns the URL to which the provider redirects users. It is entered in the console of the
    /// provider.
    #[must_use]
    pub fn callback_url(&self) -> &str {
        &self.0.provider.client.redirect_uri
    }

    /// Returns the URL of the page where users see and end their sessions.
    #[must_use]
    pub fn sessions_url(&self) -> String {
        self.0.urls.at(crate::endpoints::SESSIONS)
    }
}

impl LoginServer {
    /// Returns the scopes that a user may have.
    pub(crate) fn user_scopes(&self, user: &User) -> Vec<String> {
        let of_user = self.scopes.as_ref().map(|scopes| scopes(user));
        of_user.unwrap_or_else(|| self.supported.clone())
    }

    /// Returns `true` if all users may do the same, without scopes.
    pub(crate) fn has_no_scopes(&self) -> bool {
        self.scopes.is_none() && self.supported.is_empty()
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("issuer", &self.0.urls.issuer)
            .field("resource", &self.0.urls.resource)
            .field("provider", &self.0.provider)
            .field("required_scopes", &self.0.required)
            .finish_non_exhaustive()
    }
}
