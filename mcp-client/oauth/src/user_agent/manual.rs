//! [`Manual`]: the user copies the URL of the redirect.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_oauth::Secret;

use super::agent::{
    AuthorizationUrl, RedirectReceiver, RedirectRequest, UserAgent, UserAgentError, UserAgentFuture,
};

type Asking = Pin<Box<dyn Future<Output = Result<Secret, UserAgentError>> + Send>>;
type Ask = Arc<dyn Fn(AuthorizationUrl) -> Asking + Send + Sync>;

/// Asks the user to open a URL, for example on another machine, and to paste the URL to which the
/// browser was redirected, even if that page cannot be loaded.
///
/// ```
/// use mcp_client_oauth::{AuthorizationUrl, Manual, Secret};
///
/// let agent = Manual::new("http://127.0.0.1:8765/callback", |url: AuthorizationUrl| async move {
///     eprintln!("Open {}\nand paste the address of the page that you get:", url.as_str());
///     let mut line = String::new();
///     std::io::stdin().read_line(&mut line)?;
///     Ok(Secret::new(line.trim()))
/// });
/// # drop(agent);
/// ```
#[derive(Clone)]
pub struct Manual {
    redirect_uri: String,
    ask: Ask,
}

impl Manual {
    /// Creates an agent that uses this redirect URI. The function returns the pasted URL, or its
    /// query.
    pub fn new<F>(
        redirect_uri: impl Into<String>,
        ask: impl Fn(AuthorizationUrl) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Secret, UserAgentError>> + Send + 'static,
    {
        Self {
            redirect_uri: redirect_uri.into(),
            ask: Arc::new(move |url| Box::pin(ask(url))),
        }
    }
}

impl UserAgent for Manual {
    fn prepare<'a>(
        &'a self,
        _request: RedirectRequest<'a>,
    ) -> UserAgentFuture<'a, Box<dyn RedirectReceiver>> {
        let receiver: Box<dyn RedirectReceiver> = Box::new(self.clone());
        Box::pin(std::future::ready(Ok(receiver)))
    }
}

impl RedirectReceiver for Manual {
    fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    fn receive(self: Box<Self>, url: AuthorizationUrl) -> UserAgentFuture<'static, Secret> {
        (self.ask)(url)
    }
}
