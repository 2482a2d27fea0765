//! [`Loopback`]: receives the redirect on a port of this machine (RFC 8252, section 7.3).

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mcp_oauth::{Secret, sha256};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::agent::{
    AuthorizationUrl, RedirectReceiver, RedirectRequest, UserAgent, UserAgentError, UserAgentFuture,
};

/// The path of the redirect URI of a client that is registered in advance, and its beginning
/// otherwise.
const PATH: &str = "/callback";
/// The number of characters that distinguish the paths of issuers.
const ISSUER_CHARS: usize = 16;
/// The timeout of a request of the browser.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// The maximum number of connections at once.
const CONNECTIONS: usize = 16;
/// The maximum size of a request's head in bytes.
const HEAD_BYTES: usize = 64 << 10;

type Show = Arc<dyn Fn(&AuthorizationUrl) -> Result<(), UserAgentError> + Send + Sync>;

/// Receives the redirect on 127.0.0.1. A function of the program opens the browser, or shows the
/// URL.
///
/// ```
/// use mcp_client_oauth::Loopback;
///
/// let agent = Loopback::new(|url| {
///     eprintln!("Open {} to log in.", url.as_str());
///     Ok(())
/// });
/// # drop(agent);
/// ```
///
/// The redirect URI is `http://127.0.0.1:PORT/callback` for a client that is registered in advance
/// or has a metadata document. If the client registers dynamically, each issuer has a path of its
/// own below it, so that a redirect of one issuer is not accepted in a login at another one.
///
/// Never pass the URL to a shell: it is text of the authorization server.
#[derive(Clone)]
pub struct Loopback {
    show: Show,
    port: u16,
    time: Duration,
}

impl Loopback {
    /// Creates an agent that calls the function with the URL for the user.
    pub fn new(
        show: impl Fn(&AuthorizationUrl) -> Result<(), UserAgentError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            show: Arc::new(show),
            port: 0,
            time: Duration::from_secs(300),
        }
    }

    /// Sets the port, for clients whose registration names one. By default, it is the port of the
    /// registration, or a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets how long the user has: 5 minutes by default.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    async fn bind(&self, earlier: Option<u16>) -> Result<TcpListener, UserAgentError> {
        let at = |port| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        if let Some(port) = earlier.filter(|_| self.port == 0)
            && let Ok(listener) = at(port).await
        {
            return Ok(listener);
        }
        at(self.port).await.map_err(|error| {
            format!("cannot listen on port {} of 127.0.0.1: {error}", self.port).into()
        })
    }
}

/// Returns the path of the redirect URI for a login.
fn path_for(request: &RedirectRequest<'_>) -> String {
    if request.is_fixed {
        return PATH.to_owned();
    }
    let digest = sha256(request.issuer.as_bytes());
    let short: String = digest.chars().take(ISSUER_CHARS).collect();
    format!("{PATH}/{short}")
}

/// Returns the port of a redirect URI of this agent.
fn port_of(redirect_uri: &str, path: &str) -> Option<u16> {
    let rest = redirect_uri.strip_prefix("http://127.0.0.1:")?;
    rest.strip_suffix(path)?.parse().ok()
}

impl UserAgent for Loopback {
    fn prepare<'a>(
        &'a self,
        request: RedirectRequest<'a>,
    ) -> UserAgentFuture<'a, Box<dyn RedirectReceiver>> {
        Box::pin(async move {
            let path = path_for(&request);
            let earlier = request.registered.and_then(|uri| port_of(uri, &path));
            let listener = self.bind(earlier).await?;
            let port = listener.local_addr()?.port();
            let receiver: Box<dyn RedirectReceiver> = Box::new(Listening {
                listener,
                redirect_uri: format!("http://127.0.0.1:{port}{path}"),
                path: path.into(),
                agent: self.clone(),
            });
            Ok(receiver)
        })
    }
}

struct Listening {
    listener: TcpListener,
    redirect_uri: String,
    path: Arc<str>,
    agent: Loopback,
}

impl RedirectReceiver for Listening {
    fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    fn receive(self: Box<Self>, url: AuthorizationUrl) -> UserAgentFuture<'static, Secret> {
        Box::pin(async move {
            (self.agent.show)(&url)?;
            let time = self.agent.time;
            let received = timeout(time, self.serve(Arc::new(url))).await;
            received.map_err(|_| {
                let seconds = time.as_secs();
                format!("the browser did not come back within {seconds} s")
            })?
        })
    }
}

impl Listening {
    /// Answers requests until one of them is the redirect of this login.
    async fn serve(&self, url: Arc<AuthorizationUrl>) -> Result<Secret, UserAgentError> {
        let (sender, mut redirects) = mpsc::channel(1);
        // Dropping the set ends all connections.
        let mut connections = JoinSet::new();
        let redirect = loop {
            tokio::select! {
                biased;
                redirect = redirects.recv() => break redirect,
                _ = connections.join_next(), if !connections.is_empty() => {}
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS => {
                    let (stream, _) = accepted?;
                    let (url, sender) = (Arc::clone(&url), sender.clone());
                    let path = Arc::clone(&self.path);
                    let service = service_fn(move |request: Request<Incoming>| {
                        let response = respond(&request, &path, &url, &sender);
                        std::future::ready(Ok::<_, Infallible>(response))
                    });
                    let connection = http1::Builder::new()
                        .keep_alive(false)
                        .max_buf_size(HEAD_BYTES)
                        .timer(TokioTimer::new())
                        .header_read_timeout(REQUEST_TIME)
                        .serve_connection(TokioIo::new(stream), service);
                    connections.spawn(async move {
                        let _ = timeout(REQUEST_TIME, connection).await;
                    });
                }
            }
        };
        drop(sender);
        // A browser that sends a second redirect gets the page that says that the login has already
        // been completed, because the channel is closed.
        redirects.close();
        // The browser gets its page.
        let rest = async { while connections.join_next().await.is_some() {} };
        let _ = timeout(Duration::from_secs(1), rest).await;
        redirect.ok_or_else(|| "the redirect was not received".into())
    }
}

/// Answers a request of the browser. Only the redirect of this login ends it.
fn respond(
    request: &Request<Incoming>,
    path: &str,
    url: &AuthorizationUrl,
    sender: &mpsc::Sender<Secret>,
) -> Response<Full<Bytes>> {
    let query = request.uri().query().unwrap_or_default();
    if request.uri().path() != path || request.method() != Method::GET {
        return page(StatusCode::NOT_FOUND, "Not found.");
    }
    if !url.is_answered_by(query) {
        return page(
            StatusCode::BAD_REQUEST,
            "This page does not belong to a login that is in progress.",
        );
    }
    // Only the first one counts.
    let accepted = sender.try_send(Secret::new(query)).is_ok();
    if !accepted {
        return page(
            StatusCode::BAD_REQUEST,
            "This login has already been completed.",
        );
    }
    page(
        StatusCode::OK,
        "The program continues. You may close this page.",
    )
}

fn page(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Login</title><p>{text}</p></html>"
    );
    let mut response = Response::new(Full::new(Bytes::from(html)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (CACHE_CONTROL, "no-store"),
        (CONNECTION, "close"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
