//! [`UserAgent`]: sends a user to an authorization server.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use mcp_fetch::url::shown;
use mcp_oauth::Secret;

/// The error of a [`UserAgent`].
pub type UserAgentError = Box<dyn Error + Send + Sync>;

/// The future that a [`UserAgent`] method returns.
pub type UserAgentFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, UserAgentError>> + Send + 'a>>;

/// Sends users to an authorization server, and receives the redirect from there.
///
/// [`Loopback`](super::Loopback) receives it on this machine, [`Manual`](super::Manual) asks the
/// user for it, [`Headless`](super::Headless) needs no user. A web program uses
/// [`OAuth::begin`](crate::OAuth::begin) instead.
pub trait UserAgent: Send + Sync {
    /// Prepares for a redirect.
    fn prepare<'a>(
        &'a self,
        request: RedirectRequest<'a>,
    ) -> UserAgentFuture<'a, Box<dyn RedirectReceiver>>;
}

/// For which login a redirect is needed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RedirectRequest<'a> {
    /// The issuer of the authorization server. If each issuer has a redirect URI of its own, the
    /// redirect of one cannot be used in a login at another one (RFC 9700, section 4.4.2).
    pub issuer: &'a str,
    /// The redirect URI with which the client registered dynamically at this issuer earlier. With
    /// another one, it registers again.
    pub registered: Option<&'a str>,
    /// Whether the redirect URI is fixed, because the client was registered in advance or has a
    /// metadata document.
    pub is_fixed: bool,
}

/// Waits for one redirect.
pub trait RedirectReceiver: Send {
    /// Returns the URI to which the authorization server redirects.
    fn redirect_uri(&self) -> &str;

    /// Sends the user to the URL, and returns the URL of the redirect with its query. The client
    /// checks it.
    fn receive(self: Box<Self>, url: AuthorizationUrl) -> UserAgentFuture<'static, Secret>;
}

/// The URL to which a user is sent: `https`, or `http` on this machine.
#[derive(Clone)]
pub struct AuthorizationUrl {
    pub(crate) url: String,
    /// The URL of the server for which the user logs in, without its query.
    pub(crate) server: String,
    pub(crate) state: Secret,
}

impl AuthorizationUrl {
    /// Returns the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Returns `true` if the query of a redirect belongs to this request.
    #[must_use]
    pub fn is_answered_by(&self, query: &str) -> bool {
        let mut states =
            form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "state");
        let state = states.next();
        state.is_some_and(|(_, state)| state == self.state.expose()) && states.next().is_none()
    }
}

/// Shows no query, which contains the state of the login.
impl fmt::Debug for AuthorizationUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationUrl")
            .field("url", &shown(&self.url))
            .finish_non_exhaustive()
    }
}
