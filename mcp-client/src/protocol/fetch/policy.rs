//! [`FetchPolicy`]: which URLs are loaded, and the limits.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::sync::OnceCell;

use super::address::Reach;
use super::resolve::Resolver;
#[cfg(feature = "oauth")]
use super::server_reach::ServerReach;
use crate::protocol::error::HttpError;
use crate::util::origin::{self, Origin, UrlFault};
use crate::util::proxy::Proxy;
use crate::util::tls::Trust;

/// Which URLs of servers are loaded, and how. Applies to resources and icons.
///
/// By default, URLs of any host are loaded over `https`, but only from public addresses. Up to four
/// redirects are followed within the origin. The content can have 64 MiB. The timeouts are 30
/// seconds without data and 10 minutes in total. No policy allows URLs with a user name, and
/// credentials of the program are never sent.
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
/// Clones share the certificates of the system, which take a while to read the first time.
#[derive(Clone)]
#[must_use = "a policy does nothing until something is loaded with it"]
pub struct FetchPolicy {
    pub(crate) reach: Reach,
    /// Whether `http` is allowed for this machine.
    plain_loopback: bool,
    /// The server that names the URLs, if more is allowed because of its address.
    #[cfg(feature = "oauth")]
    pub(super) server: Option<Arc<ServerReach>>,
    pub(crate) hosts: Vec<String>,
    pub(crate) only: bool,
    pub(crate) bytes: u64,
    /// The minimum time before a URL expires. Only the proposal `https-url` has such URLs.
    pub(crate) margin: Duration,
    pub(crate) redirects: usize,
    pub(crate) idle: Duration,
    pub(crate) time: Duration,
    pub(crate) resolver: Option<Resolver>,
    pub(super) proxy: Proxy,
    trust: Trust,
    tls: Arc<OnceCell<Arc<ClientConfig>>>,
}

impl FetchPolicy {
    /// Creates the default policy.
    pub fn new() -> Self {
        Self {
            reach: Reach::Public,
            plain_loopback: false,
            #[cfg(feature = "oauth")]
            server: None,
            hosts: Vec::new(),
            only: false,
            bytes: 64 << 20,
            margin: Duration::from_secs(30),
            redirects: 4,
            idle: Duration::from_secs(30),
            time: Duration::from_secs(600),
            resolver: None,
            proxy: Proxy::default(),
            trust: Trust::default(),
            tls: Arc::default(),
        }
    }

    /// Sets whether private addresses are allowed, such as those of this machine and of its
    /// network. `false` by default, so that no server can make the client send requests to services
    /// that only the client can reach. The addresses that are checked are those of the connection.
    pub fn allow_private(mut self, allow: bool) -> Self {
        self.reach = if allow { Reach::All } else { Reach::Public };
        self
    }

    /// Trusts a host, by its name or address: it can have a private address, and redirects to it
    /// are followed.
    pub fn allow_host(mut self, host: impl AsRef<str>) -> Self {
        self.hosts.push(origin::host(host.as_ref()));
        self
    }

    /// Sets whether resources are loaded only from [allowed](Self::allow_host) hosts. `false` by
    /// default. The hosts of icons are a matter of [`IconPolicy`](crate::icons::IconPolicy).
    pub fn only_allowed(mut self, only: bool) -> Self {
        self.only = only;
        self
    }

    /// Sets the maximum size in bytes: 64 MiB by default. It also applies to content that is read
    /// with `resources/read` instead. Icons have [their own
    /// maximum](crate::icons::IconPolicy::size).
    pub fn size(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum number of redirects: 4 by default. They are followed over `https`, within
    /// the origin or to an [allowed](Self::allow_host) host.
    pub fn redirects(mut self, most: usize) -> Self {
        self.redirects = most;
        self
    }

    /// Sets the timeout of each step: connecting, the head of the response, and each part of the
    /// content. 30 seconds by default.
    pub fn idle(mut self, time: Duration) -> Self {
        self.idle = time;
        self
    }

    /// Sets the timeout of the whole transfer: 10 minutes by default. The time that the program
    /// spends between parts does not count.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Trusts these certificates, in PEM, in addition to those of the system. Text without a
    /// certificate is an [`HttpError::Certificate`] whenever something is loaded.
    pub fn tls_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.trust.pem.push(pem.into());
        self.tls = Arc::default();
        self
    }

    /// Sets whether every certificate is accepted of hosts on this machine, at `localhost` or a
    /// loopback address. `false` by default; for development.
    pub fn insecure_loopback(mut self, accept: bool) -> Self {
        self.trust.insecure_loopback = accept;
        self.tls = Arc::default();
        self
    }

    /// Sets the function that resolves a host and port, instead of the resolver of the system. It
    /// is called once for each connection, and its addresses are checked in the same way.
    pub fn resolver<F>(mut self, resolve: impl Fn(String, u16) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'static,
    {
        self.resolver = Some(Arc::new(move |host, port| Box::pin(resolve(host, port))));
        self
    }

    /// Connects through a proxy; by default, and to hosts that are its exceptions, directly.
    ///
    /// The policy is the same as without a proxy. As long as it depends on the address of a host,
    /// the client resolves the name itself, checks the addresses, and asks the proxy for a
    /// connection to a checked address, not to the name: the proxy could resolve it to another one.
    /// It is asked for a name only if the address does not matter: for [allowed](Self::allow_host)
    /// hosts, if [private addresses](Self::allow_private) are allowed, and for the host of the
    /// server to which a user logs in. A network in which only the proxy resolves names needs one
    /// of the first two.
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Returns the policy for icons of at most this size. Their hosts are checked separately.
    pub(crate) fn for_icons(&self, bytes: usize) -> Self {
        Self {
            only: false,
            bytes: bytes as u64,
            ..self.clone()
        }
    }

    /// Parses the origin of a URL: of the scheme `https`, or `http` for this machine if the policy
    /// allows it.
    pub(crate) fn origin(&self, url: &str) -> Result<Origin, UrlFault> {
        let origin = Origin::parse(url)?;
        if origin.secure || self.plain_loopback && origin.is_loopback() {
            return Ok(origin);
        }
        Err(UrlFault::Scheme("http".to_owned()))
    }

    /// Returns the policy for the URLs that authorize requests to a server. Private addresses are
    /// allowed if the server has one, see [`ServerReach`].
    #[cfg(feature = "oauth")]
    pub(crate) fn around(&self, server: &Origin) -> Self {
        let mut policy = self.clone();
        policy.plain_loopback = true;
        if policy.reach == Reach::Public {
            policy.server = Some(Arc::new(ServerReach::new(server.clone())));
        }
        policy
    }

    /// Returns `true` if an origin is that of the server around which the policy is. The program
    /// named it, and it proves its name with its certificate, so its address does not matter.
    pub(super) fn is_server(&self, origin: &Origin) -> bool {
        #[cfg(feature = "oauth")]
        if let Some(server) = &self.server {
            return server.origin() == origin;
        }
        #[cfg(not(feature = "oauth"))]
        let _ = origin;
        false
    }

    /// Returns the TLS configuration. It is created once.
    pub(crate) async fn tls(&self) -> Result<Arc<ClientConfig>, HttpError> {
        let read = || async {
            let trust = self.trust.clone();
            let config = tokio::task::spawn_blocking(move || trust.config()).await;
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
            .field("reach", &self.reach)
            .field("hosts", &self.hosts)
            .field("only", &self.only)
            .field("bytes", &self.bytes)
            .field("margin", &self.margin)
            .field("redirects", &self.redirects)
            .field("idle", &self.idle)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "oauth"))]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_only_for_authorization_on_this_machine() {
        let server = Origin::parse("http://127.0.0.1:1").expect("an origin");
        let open = FetchPolicy::new()
            .allow_private(true)
            .allow_host("127.0.0.1");
        let around = open.around(&server);
        for (policy, url, is_allowed) in [
            (&open, "https://127.0.0.1/a", true),
            (&open, "http://127.0.0.1/a", false),
            (&open, "http://localhost/a", false),
            (&around, "http://127.0.0.1/a", true),
            (&around, "http://a.example/a", false),
        ] {
            assert_eq!(policy.origin(url).is_ok(), is_allowed, "{url}");
        }
    }

    #[test]
    fn choice_of_the_program_is_kept_around_any_server() {
        let server = Origin::parse("https://a.example").expect("an origin");
        let open = FetchPolicy::new().allow_private(true);
        assert_eq!(open.around(&server).reach, Reach::All);
        assert_eq!(FetchPolicy::new().around(&server).reach, Reach::Public);
    }
}
