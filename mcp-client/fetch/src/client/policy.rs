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
use super::error::FetchError;
use super::proxy::Proxy;
use super::resolve::Resolver;
use super::server_reach::ServerReach;
use super::tls::Trust;
use crate::origin::{Origin, UrlFault, host_name};

/// Which URLs are loaded, and how.
///
/// By default, URLs of any host are loaded over `https`, but only from public addresses. Up to four
/// redirects are followed within the origin. The content can have 64 MiB. The timeouts are 30
/// seconds without data and 10 minutes in total. No policy allows URLs with a user name, and
/// credentials of the program are never sent.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_fetch::FetchPolicy;
///
/// let policy = FetchPolicy::new()
///     .allow_host("files.example.com")
///     .only_allowed(true)
///     .size(1 << 30)
///     .time(Duration::from_secs(3600));
/// # drop(policy);
/// ```
///
/// Clones share the certificates of the system, which take a while to read the first time.
#[derive(Clone)]
#[must_use = "a policy does nothing until something is loaded with it"]
pub struct FetchPolicy {
    pub(super) reach: Reach,
    /// Whether `http` is allowed for this machine.
    plain_loopback: bool,
    /// The server that names the URLs, if more is allowed because of its address.
    pub(super) server: Option<Arc<ServerReach>>,
    pub(super) hosts: Vec<String>,
    pub(super) only: bool,
    pub(super) bytes: u64,
    margin: Duration,
    pub(super) redirects: usize,
    pub(super) idle: Duration,
    pub(super) time: Duration,
    pub(super) resolver: Option<Resolver>,
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
        self.hosts.push(host_name(host.as_ref()));
        self
    }

    /// Sets whether something is loaded only from [allowed](Self::allow_host) hosts. `false` by
    /// default.
    pub fn only_allowed(mut self, only: bool) -> Self {
        self.only = only;
        self
    }

    /// Undoes [`allow_private`](Self::allow_private) and [`allow_host`](Self::allow_host), for URLs that
    /// anybody can name.
    pub fn public_only(mut self) -> Self {
        self.hosts.clear();
        self.allow_private(false)
    }

    /// Sets the maximum size of a body in bytes: 64 MiB by default.
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
    /// certificate is a [`FetchError::Certificate`] whenever something is loaded.
    pub fn tls_roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.trust = self.trust.roots(pem);
        self.tls = Arc::default();
        self
    }

    /// Sets whether every certificate is accepted of hosts on this machine, at `localhost` or a
    /// loopback address. `false` by default; for development.
    pub fn insecure_loopback(mut self, accept: bool) -> Self {
        self.trust = self.trust.insecure_loopback(accept);
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
    /// hosts, if [private addresses](Self::allow_private) are allowed, and for the
    /// server that the policy is [around](Self::around). A network in which only the proxy resolves names needs one
    /// of the first two.
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Sets the minimum time before a URL expires: 30 seconds by default. Requests do not look at
    /// it, because a URL does not say when it expires; it is for programs that know this.
    pub fn margin(mut self, margin: Duration) -> Self {
        self.margin = margin;
        self
    }

    /// Returns the maximum [size](Self::size) of a body in bytes.
    #[must_use]
    pub fn max_size(&self) -> u64 {
        self.bytes
    }

    /// Returns the minimum time before a URL expires, see [`margin`](Self::margin).
    #[must_use]
    pub fn min_validity(&self) -> Duration {
        self.margin
    }

    /// Returns `true` if the program [trusts](Self::allow_host) the host of an origin.
    #[must_use]
    pub fn is_allowed_host(&self, origin: &Origin) -> bool {
        origin.is_among(&self.hosts)
    }

    /// Parses the origin of a URL: of the scheme `https`, or `http` for this machine if the policy
    /// allows it.
    pub(super) fn origin(&self, url: &str) -> Result<Origin, UrlFault> {
        let origin = Origin::parse(url)?;
        if origin.secure || self.plain_loopback && origin.is_loopback() {
            return Ok(origin);
        }
        Err(UrlFault::Scheme("http".to_owned()))
    }

    /// Returns the policy for the URLs that authorize requests to a server, which its metadata name.
    /// They may have a private address if the server has one, and one of this machine, over plain
    /// `http`, too, if the server is on this machine.
    ///
    /// What counts is the address of a connection over which the server has proved its name with
    /// its certificate, or the address in its URL. The answer of a resolver is not enough: the owner
    /// of the name could answer each look-up differently.
    pub fn around(&self, server: &Origin) -> Self {
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
        let server = self.server.as_deref();
        server.is_some_and(|server| server.origin() == origin)
    }

    /// Returns the TLS configuration. It is created once.
    pub(super) async fn tls(&self) -> Result<Arc<ClientConfig>, FetchError> {
        let read = || async {
            let trust = self.trust.clone();
            let config = tokio::task::spawn_blocking(move || trust.client_config()).await;
            let config = config.map_err(|error| FetchError::Certificate(error.into()))?;
            config.map(Arc::new).map_err(FetchError::Certificate)
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

#[cfg(test)]
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
