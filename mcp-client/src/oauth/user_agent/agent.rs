//! [`UserAgent`]: sends a user to an authorization server.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;

use crate::oauth::secret::Secret;

/// The error of a [`UserAgent`].
pub type UserAgentError = Box<dyn Error + Send + Sync>;

/// The future that a [`UserAgent`] method returns.
pub type UserAgentFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, UserAgentError>> + Send + 'a>>;

/// Sends users to an authorization server, and receives the redirect from there.
///
/// [`Loopback`](super::Loopback) receives it on this machine, [`Manual`](super::Manual) asks the user for it, [`Headless`](super::Headless) needs no
/// user. A web program uses [`OAuth::begin`](crate::oauth::OAuth::begin) instead.
pub trait UserAgent: Send + Sync {
    /// Prepares for a redirect. The client registered with the redirect URI `registered` at this
    /// authorization server earlier; with another one, it registers again.
    fn prepare<'a>(
        &'a self,
        registered: Option<&'a str>,
    ) -> UserAgentFuture<'a, Box<dyn RedirectReceiver>>;
}

/// Waits for one redirect.
pub trait RedirectReceiver: Send {
    /// Returns the URI to which the authorization server redirects.
    fn redirect_uri(&self) -> &str;

    /// Sends the user to the URL, and returns the URL of the redirect with its query. The client checks
    /// it.
    fn receive(self: Box<Self>, url: AuthorizationUrl) -> UserAgentFuture<'static, Secret>;
}

/// The URL to which a user is sent: `https`, or `http` on this machine.
#[derive(Clone, Debug)]
pub struct AuthorizationUrl {
    pub(in crate::oauth) url: String,
    /// The URL of the server for which the user logs in, without its query.
    pub(in crate::oauth) server: String,
    pub(in crate::oauth) state: Secret,
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
