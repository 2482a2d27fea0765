//! [`Http`]: Streamable HTTP of all revisions, and HTTP+SSE of 2024-11-05.

mod endpoint;
mod eras;
mod http_client;
mod legacy;
mod post_queue;
mod response;
mod retry;
mod run;
mod sender;
mod session;
mod tool_headers;

use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};

pub use eras::EraCache;

use crate::protocol::authorize::Authorize;
use crate::protocol::connection::timeout_pause::TimeoutPause;
use crate::protocol::error::{HttpError, TransportError};
use crate::protocol::limits::Limits;
use crate::protocol::transport::{OpenTransport, OpenedTransport};
use endpoint::Endpoint;
use http_client::connector::{self, Dialing};
use http_client::{HttpClient, url};
#[cfg(feature = "tls")]
use mcp_fetch::Proxy;
use mcp_fetch::url::shown;
use sender::HttpSender;

/// A server at a URL.
///
/// The client tries Streamable HTTP of 2026-07-28 and later revisions, then that of the revisions
/// with sessions, and last HTTP+SSE of 2024-11-05.
///
/// ```no_run
/// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::{Client, Http};
///
/// let server = Http::new("http://127.0.0.1:8080/mcp").header("x-tenant", "blue");
/// let client = Client::builder("demo", "1.0.0").connect(server).await?;
/// println!("{} tools", client.tools().all().await?.items.len());
/// # Ok(())
/// # }
/// ```
///
/// Connections are pooled. Redirects are followed within the origin, if they keep method and body
/// (statuses 307 and 308). `https` requires the feature `tls`.
#[must_use = "a transport does nothing until a client connects with it"]
pub struct Http {
    url: String,
    headers: Vec<(String, String)>,
    authorize: Option<Arc<dyn Authorize>>,
    eras: Option<EraCache>,
    dialing: Dialing,
}

impl Http {
    /// Creates a transport to a server at this `http` or `https` URL. An invalid URL is an
    /// [`HttpError::Url`] when a client connects.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Vec::new(),
            authorize: None,
            eras: None,
            dialing: Dialing::default(),
        }
    }

    /// Adds a header to every request. Headers of the protocol override it. An invalid one is an
    /// [`HttpError::Header`] when a client connects.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets what authorizes requests. It is called before every request, and again when the server
    /// rejects one.
    pub fn auth(mut self, authorize: impl Authorize + 'static) -> Self {
        self.authorize = Some(Arc::new(authorize));
        self
    }

    /// Sets the cache that remembers the era and revision of the server, for the next client that
    /// is connected with a clone of it.
    pub fn era_cache(mut self, eras: EraCache) -> Self {
        self.eras = Some(eras);
        self
    }

    /// Trusts these certificates, in PEM, in addition to those of the system. Text without a
    /// certificate is an [`HttpError::Certificate`] when a client connects.
    #[cfg(feature = "tls")]
    pub fn tls_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.dialing.trust = self.dialing.trust.roots(pem);
        self
    }

    /// Sets whether every certificate is accepted of a server on this machine, at `localhost` or a
    /// loopback address. Other servers always need a valid one. `false` by default; for
    /// development.
    #[cfg(feature = "tls")]
    pub fn insecure_loopback(mut self, accept: bool) -> Self {
        self.dialing.trust = self.dialing.trust.insecure_loopback(accept);
        self
    }

    /// Connects through a proxy. By default, the connection is direct, whatever the environment
    /// contains: see [`Proxy::from_env`]. The URLs that a server names, such as those of OAuth,
    /// have their own setting: [`FetchPolicy::proxy`](crate::FetchPolicy::proxy).
    #[cfg(feature = "tls")]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.dialing.proxy = proxy;
        self
    }

    fn headers(&self) -> Result<HeaderMap, HttpError> {
        let mut headers = HeaderMap::with_capacity(self.headers.len());
        for (name, value) in &self.headers {
            let fault = || HttpError::Header { name: name.clone() };
            let known = HeaderName::try_from(name).map_err(|_| fault())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| fault())?;
            // It may be a secret.
            value.set_sensitive(true);
            headers.append(known, value);
        }
        Ok(headers)
    }
}

impl OpenTransport for Http {
    fn open(self, limits: &Limits) -> Result<OpenedTransport, TransportError> {
        let url = url::parse(&self.url)?;
        let mut headers = self.headers()?;
        let client = connector::client(&url, limits, &self.dialing, &mut headers)?;
        let client = HttpClient {
            pool: client,
            url,
            headers,
            authorize: self.authorize,
            pause: TimeoutPause::default(),
        };
        let (endpoint, streams) = Endpoint::new(client, limits, self.eras);
        let endpoint = Arc::new(endpoint);
        let sender = HttpSender {
            endpoint: Arc::clone(&endpoint),
        };
        Ok(OpenedTransport {
            sender: Arc::new(sender),
            driver: Box::new(move |connection| Box::pin(run::run(endpoint, connection, streams))),
        })
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("url", &shown(&self.url))
            .finish_non_exhaustive()
    }
}
