//! [`FetchPolicy`]: from where, how much, and how long.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::sync::OnceCell;

use crate::protocol::error::HttpError;
use crate::util::origin;
use crate::util::tls;

type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
pub(crate) type Resolver = Arc<dyn Fn(String, u16) -> Resolving + Send + Sync>;

/// What URLs that a server names are loaded, and how: those of resources, and those of icons.
///
/// By default: over `https`, whatever the host, but from public addresses only; redirects are
/// followed within the origin, up to four; at most 64 MiB; 30 seconds without a byte, and 10
/// minutes in all, are too long. No URL with the name of a user is used, whatever the policy says,
/// and none of the program's credentials is ever sent.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_client::{Client, FetchPolicy};
///
/// let policy = FetchPolicy::new()
///     .allow_host("files.example.com")
///     .only_allowed(true)
///     .size(1 << 30)
///     .time(Duration::from_secs(3600));
/// let builder = Client::builder("demo", "1.0.0").fetch_policy(policy);
/// # drop(builder);
/// ```
///
/// A clone shares what is read of the system's certificates, which takes a while the first time.
#[derive(Clone)]
#[must_use = "a policy does nothing until something is loaded by it"]
pub struct FetchPolicy {
    pub(crate) private: bool,
    pub(crate) hosts: Vec<String>,
    pub(crate) only: bool,
    pub(crate) bytes: u64,
    #[cfg(feature = "https-url")]
    pub(crate) margin: Duration,
    pub(crate) redirects: usize,
    pub(crate) idle: Duration,
    pub(crate) time: Duration,
    pub(crate) resolver: Option<Resolver>,
    roots: Vec<Vec<u8>>,
    tls: Arc<OnceCell<Arc<ClientConfig>>>,
}

impl FetchPolicy {
    /// The default policy.
    pub fn new() -> Self {
        Self {
            private: false,
            hosts: Vec::new(),
            only: false,
            bytes: 64 << 20,
            #[cfg(feature = "https-url")]
            margin: Duration::from_secs(30),
            redirects: 4,
            idle: Duration::from_secs(30),
            time: Duration::from_secs(600),
            resolver: None,
            roots: Vec::new(),
            tls: Arc::default(),
        }
    }

    /// Whether addresses will do that are not on the public internet: those of the machine itself,
    /// of its network, and the like. `false` by default, so that no server can make the client ask
    /// what only the client can reach. Addresses are looked at when a connection is made, the very
    /// ones that are connected to.
    pub fn allow_private(mut self, allow: bool) -> Self {
        self.private = allow;
        self
    }

    /// Trusts a host, by its name or address: it may be at a private address, and redirects may
    /// lead to it.
    pub fn allow_host(mut self, host: impl AsRef<str>) -> Self {
        self.hosts.push(origin::host(host.as_ref()));
        self
    }

    /// Whether to load resources from hosts alone that are [allowed](Self::allow_host). `false` by
    /// default. Where icons may lie says [`IconPolicy`](crate::icons::IconPolicy).
    pub fn only_allowed(mut self, only: bool) -> Self {
        self.only = only;
        self
    }

    /// As many bytes at most: 64 MiB by default. It bounds also what is read over the connection
    /// in place of a URL. Icons have [a bound of their own](crate::icons::IconPolicy::size).
    pub fn size(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// A URL that expires within this time is not begun with: 30 seconds by default. It is for
    /// clocks that differ, and for the way.
    #[cfg(feature = "https-url")]
    pub fn margin(mut self, margin: Duration) -> Self {
        self.margin = margin;
        self
    }

    /// As many redirects are followed: 4 by default. They have to stay within the origin, or lead
    /// to a host that is [allowed](Self::allow_host), and always over `https`.
    pub fn redirects(mut self, most: usize) -> Self {
        self.redirects = most;
        self
    }

    /// How long to wait for the next step: the connection, the head of the answer, each further
    /// part of the content. 30 seconds by default.
    pub fn idle(mut self, time: Duration) -> Self {
        self.idle = time;
        self
    }

    /// How long to wait in all: 10 minutes by default. The time that the program takes between
    /// parts does not count.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Trusts these certificates, in PEM, beside those that the system trusts. What holds none is
    /// an [`HttpError::Certificate`] whenever something is loaded.
    pub fn tls_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.push(pem.into());
        self.tls = Arc::default();
        self
    }

    /// Finds the addresses of a host and port in this way, in place of the system's. It is asked
    /// once for each connection, and what it says is looked at as what the system says.
    pub fn resolver<F>(mut self, resolve: impl Fn(String, u16) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'static,
    {
        self.resolver = Some(Arc::new(move |host, port| Box::pin(resolve(host, port))));
        self
    }

    /// The same for icons of so many bytes, which lie where their own policy allows it.
    pub(crate) fn for_icons(&self, bytes: usize) -> Self {
        Self {
            only: false,
            bytes: bytes as u64,
            ..self.clone()
        }
    }

    /// How connections are secured.
    pub(crate) async fn tls(&self) -> Result<Arc<ClientConfig>, HttpError> {
        let read = || async {
            let roots = self.roots.clone();
            let read = move || tls::config(tls::trusted(&roots)?);
            let config = tokio::task::spawn_blocking(read).await;
            let config = config.map_err(|error| HttpError::Certificate(error.into()))?;
            config.map(Arc::new).map_err(HttpError::Certificate)
        };
        self.tls.get_or_try_init(read).await.cloned()
    }
}

impl Default for FetchPolicy {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for FetchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchPolicy")
            .field("private", &self.private)
            .field("hosts", &self.hosts)
            .field("only", &self.only)
            .field("bytes", &self.bytes)
            .field("redirects", &self.redirects)
            .field("idle", &self.idle)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}
