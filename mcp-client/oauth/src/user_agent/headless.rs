//! [`Headless`]: follows the redirects of an authorization server that needs no user.

use http::HeaderValue;
use http::header::{ACCEPT, LOCATION};
use mcp_fetch::url::resolve;
use mcp_fetch::{FetchPolicy, FetchRequest, Origin};
use mcp_oauth::Secret;

use super::agent::{
    AuthorizationUrl, RedirectReceiver, RedirectRequest, UserAgent, UserAgentError, UserAgentFuture,
};

/// The maximum number of redirects.
const REDIRECTS: usize = 10;

/// Requests the authorization URL itself, and follows redirects until one leads to the redirect
/// URI. For tests, and for authorization servers that recognize a service without a page.
#[derive(Clone, Debug)]
pub struct Headless {
    redirect_uri: String,
    policy: FetchPolicy,
}

impl Headless {
    /// Creates an agent with this redirect URI, to which no request is sent.
    pub fn new(redirect_uri: impl Into<String>) -> Self {
        Self {
            redirect_uri: redirect_uri.into(),
            policy: FetchPolicy::new().size(1 << 20),
        }
    }

    /// Sets the policy for the requests.
    #[must_use]
    pub fn policy(mut self, policy: FetchPolicy) -> Self {
        self.policy = policy;
        self
    }

    async fn follow(self, url: AuthorizationUrl) -> Result<Secret, UserAgentError> {
        let policy = self.policy.around(&Origin::parse(&url.server)?);
        let mut url = url.url;
        for _ in 0..=REDIRECTS {
            let request = FetchRequest::get(&policy, &url)
                .header(ACCEPT, HeaderValue::from_static("text/html"));
            let mut response = request.send().await?;
            response.body.read_all().await?;
            let (status, headers) = (response.status, response.headers);
            if !status.is_redirection() {
                let text =
                    format!("expected a redirect, but the page has the HTTP status {status}");
                return Err(text.into());
            }
            let location = headers
                .get(LOCATION)
                .ok_or("the redirect has no `Location`")?;
            let location = location.to_str()?;
            let next = resolve(&url.parse()?, location).ok_or("the `Location` is invalid")?;
            let base = next.split(['?', '#']).next().unwrap_or_default();
            if base == self.redirect_uri {
                return Ok(Secret::new(next));
            }
            url = next;
        }
        Err("there were too many redirects".into())
    }
}

impl UserAgent for Headless {
    fn prepare<'a>(
        &'a self,
        _request: RedirectRequest<'a>,
    ) -> UserAgentFuture<'a, Box<dyn RedirectReceiver>> {
        let receiver: Box<dyn RedirectReceiver> = Box::new(self.clone());
        Box::pin(std::future::ready(Ok(receiver)))
    }
}

impl RedirectReceiver for Headless {
    fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    fn receive(self: Box<Self>, url: AuthorizationUrl) -> UserAgentFuture<'static, Secret> {
        Box::pin(self.follow(url))
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use mcp_fetch::FetchError;

    #[tokio::test]
    async fn addresses_that_are_allowed_follow_from_the_server_not_from_the_page() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let redirect = "http://127.0.0.1:9/callback";
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = format!("HTTP/1.1 302 X\r\nlocation: {redirect}?code=x\r\n\r\n");
                let _ = stream.writable().await;
                let _ = stream.try_write(answer.as_bytes());
                let _ = stream.readable().await;
            }
        });
        for (server, is_allowed) in [
            ("http://127.0.0.1:1/mcp", true),
            ("https://8.8.8.8/mcp", false),
            ("https://10.0.0.1/mcp", false),
        ] {
            let url = AuthorizationUrl {
                url: format!("http://{at}/authorize"),
                server: server.to_owned(),
                state: Secret::new("state"),
            };
            let found = Headless::new(redirect).follow(url).await;
            let Err(error) = found else {
                assert!(is_allowed, "{server}");
                continue;
            };
            let error = error.downcast_ref::<FetchError>();
            let is_refused = matches!(error, Some(FetchError::Address { .. }));
            assert!(!is_allowed && is_refused, "{server}: {error:?}");
        }
    }
}
