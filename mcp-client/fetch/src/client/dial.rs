//! [`dial`]: connects to hosts that are not trusted.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

use super::address::Reach;
use super::connector::ProxyHop;
use super::error::FetchError;
use super::policy::FetchPolicy;
use super::resolve::resolve;
use crate::origin::{Origin, UrlFault};

/// How long a connection is silent before the system sends the first TCP keep-alive probe, and how
/// long it waits for a response before the next one.
const KEEPALIVE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// The remaining time for a transfer.
#[derive(Clone)]
pub(super) struct TimeBudget {
    idle: Duration,
    total: Duration,
    pub(super) left: Duration,
}

impl TimeBudget {
    pub(super) fn new(policy: &FetchPolicy) -> Self {
        Self {
            idle: policy.idle,
            total: policy.time,
            left: policy.time,
        }
    }

    /// Waits for one step of the transfer.
    pub(super) async fn wait<F: Future>(&mut self, step: F) -> Result<F::Output, FetchError> {
        let (after, limit) = (self.idle, self.total);
        let error = if after < self.left {
            FetchError::Time { after }
        } else {
            FetchError::TotalTime { limit }
        };
        let start = Instant::now();
        let waited = timeout(after.min(self.left), step).await;
        self.left = self.left.saturating_sub(start.elapsed());
        waited.map_err(|_| error)
    }
}

/// A connection, with or without TLS.
pub(super) trait ByteChannel: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteChannel for T {}

/// Connects to an origin. Connects to the addresses that were checked: a name that is resolved to
/// another address a moment later cannot bypass the check.
pub(super) async fn dial(
    policy: &FetchPolicy,
    to: &Origin,
) -> Result<Box<dyn ByteChannel>, FetchError> {
    let is_allowed = to.is_among(&policy.hosts);
    if policy.only && !is_allowed {
        let origin = to.to_string();
        return Err(FetchError::Host { origin });
    }
    let proxy = policy.proxy.to(to).map_err(FetchError::Proxy)?;
    let is_trusted = is_allowed || policy.is_server(to);
    let addresses = if proxy.is_some() && (is_trusted || policy.reach == Reach::All) {
        Vec::new()
    } else if is_trusted {
        addresses_of(policy, to).await?
    } else {
        allowed_addresses(policy, to).await?
    };
    // To the proxy, such an address is its own machine.
    let is_local = addresses
        .iter()
        .any(|address| address.ip().to_canonical().is_loopback());
    if let Some(proxy) = proxy.filter(|_| !is_local) {
        let connect = connect_through(proxy, to, &addresses);
        let (stream, _) = secure(policy, to, connect).await?;
        return Ok(stream);
    }
    let (stream, _) = connect(policy, to, &addresses).await?;
    Ok(stream)
}

/// Resolves an origin.
///
/// # Errors
///
/// Fails if the policy does not allow one of the addresses.
async fn allowed_addresses(
    policy: &FetchPolicy,
    to: &Origin,
) -> Result<Vec<SocketAddr>, FetchError> {
    let addresses = addresses_of(policy, to).await?;
    let refused = |reach: Reach| {
        let mut ips = addresses.iter().map(SocketAddr::ip);
        ips.find(|address| !reach.allows(*address))
    };
    let found = refused(policy.reach);
    let found = match (found, &policy.server) {
        (Some(_), Some(server)) => {
            let address = Box::pin(address_of_server(policy, server.origin()));
            refused(server.reach(address).await)
        }
        (found, _) => found,
    };
    match found {
        Some(address) => Err(FetchError::Address {
            origin: to.to_string(),
            address,
        }),
        None => Ok(addresses),
    }
}

/// Connects to an origin through a proxy: to one of these addresses, or without any to its name.
async fn connect_through(
    proxy: ProxyHop,
    to: &Origin,
    addresses: &[SocketAddr],
) -> io::Result<TcpStream> {
    let names = addresses.iter().map(SocketAddr::to_string);
    let names = names.map(|address| format!("https://{address}"));
    let mut names: Vec<String> = names.collect();
    if names.is_empty() {
        names.push(to.to_string());
    }
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for name in names {
        let name = name.parse().map_err(io::Error::other)?;
        match proxy.clone().connect(HttpConnector::new(), name).await {
            Ok(stream) => return Ok(stream.into_inner()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Connects to a server, and returns the address. Through a proxy, it is unknown.
async fn address_of_server(policy: &FetchPolicy, server: &Origin) -> Option<IpAddr> {
    if !matches!(policy.proxy.to(server), Ok(None)) {
        return None;
    }
    let connecting = async {
        let addresses = addresses_of(policy, server).await?;
        connect(policy, server, &addresses).await
    };
    match connecting.await {
        Ok((_, address)) => Some(address),
        Err(error) => {
            tracing::debug!(%error, "the address of the server is not known");
            None
        }
    }
}

async fn addresses_of(policy: &FetchPolicy, to: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
    let addresses = resolve(policy.resolver.as_ref(), to).await;
    addresses.map_err(|source| FetchError::Resolve {
        origin: to.to_string(),
        source,
    })
}

/// Connects to an origin at one of these addresses, and returns that address.
async fn connect(
    policy: &FetchPolicy,
    to: &Origin,
    addresses: &[SocketAddr],
) -> Result<(Box<dyn ByteChannel>, IpAddr), FetchError> {
    let failed = |source| connect_error(to, source);
    if to.secure {
        return secure(policy, to, TcpStream::connect(addresses)).await;
    }
    // The policy has checked that the name is that of this machine. It must also resolve to it.
    let remote = addresses.iter().find(|address| !address.ip().is_loopback());
    if remote.is_some() {
        return Err(FetchError::Url(UrlFault::Scheme("http".to_owned())));
    }
    let socket = TcpStream::connect(addresses).await.map_err(failed)?;
    let address = socket.peer_addr().map_err(failed)?.ip();
    configure(&socket).map_err(failed)?;
    Ok((Box::new(socket), address))
}

/// Connects, and lets the host prove its name with TLS. Returns the address of the connection.
async fn secure(
    policy: &FetchPolicy,
    to: &Origin,
    connect: impl Future<Output = io::Result<TcpStream>>,
) -> Result<(Box<dyn ByteChannel>, IpAddr), FetchError> {
    let failed = |source| connect_error(to, source);
    let config = policy.tls().await?;
    let name = ServerName::try_from(to.host.clone());
    let name = name.map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
    let socket = connect.await.map_err(failed)?;
    let address = socket.peer_addr().map_err(failed)?.ip();
    configure(&socket).map_err(failed)?;
    let stream = TlsConnector::from(config).connect(name, socket).await;
    Ok((Box::new(stream.map_err(failed)?), address))
}

fn connect_error(to: &Origin, source: io::Error) -> FetchError {
    FetchError::Connect {
        origin: to.to_string(),
        source,
    }
}

/// Lets the system detect that the host has vanished, even if the policy has no timeouts.
fn configure(socket: &TcpStream) -> io::Result<()> {
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE_INTERVAL);
    socket.set_nodelay(true)?;
    SockRef::from(socket).set_tcp_keepalive(&keepalive)
}
