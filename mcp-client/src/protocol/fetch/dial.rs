//! [`dial`]: connects to hosts that are not trusted.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

use super::address::Reach;
use super::error::FetchError;
use super::policy::FetchPolicy;
use super::resolve::resolve;
use crate::util::keepalive::{KEEPALIVE, KEEPALIVE_INTERVAL};
use crate::util::origin::{Origin, UrlFault};

/// The remaining time for a transfer.
#[derive(Clone)]
pub(crate) struct TimeBudget {
    idle: Duration,
    left: Duration,
}

impl TimeBudget {
    pub(crate) fn new(policy: &FetchPolicy) -> Self {
        Self {
            idle: policy.idle,
            left: policy.time,
        }
    }

    #[cfg(feature = "https-url")]
    pub(crate) fn is_over(&self) -> bool {
        self.left.is_zero()
    }

    /// Waits for one step of the transfer.
    pub(crate) async fn wait<F: Future>(&mut self, step: F) -> Result<F::Output, FetchError> {
        let after = self.idle.min(self.left);
        let start = Instant::now();
        let waited = timeout(after, step).await;
        self.left = self.left.saturating_sub(start.elapsed());
        waited.map_err(|_| FetchError::Time { after })
    }
}

/// A connection, with or without TLS.
pub(super) trait ByteChannel: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteChannel for T {}

/// Connects to an origin. Connects to the addresses that were checked: a name that is resolved to another
/// address a moment later cannot bypass the check.
pub(super) async fn dial(
    policy: &FetchPolicy,
    to: &Origin,
) -> Result<Box<dyn ByteChannel>, FetchError> {
    let is_allowed = to.is_among(&policy.hosts);
    if policy.only && !is_allowed {
        let origin = to.to_string();
        return Err(FetchError::Host { origin });
    }
    let addresses = addresses_of(policy, to).await?;
    if !is_allowed && let Some(address) = refused(policy, to, &addresses).await {
        return Err(FetchError::Address {
            origin: to.to_string(),
            address,
        });
    }
    let (stream, _) = connect(policy, to, &addresses).await?;
    Ok(stream)
}

/// Connects to an origin at any address, and returns the address.
#[cfg(feature = "oauth")]
pub(super) async fn connect_to_name(
    policy: &FetchPolicy,
    to: &Origin,
) -> Result<(Box<dyn ByteChannel>, IpAddr), FetchError> {
    connect(policy, to, &addresses_of(policy, to).await?).await
}

/// Returns an address that the policy does not allow. A single one is enough to reject the name.
async fn refused(policy: &FetchPolicy, to: &Origin, addresses: &[SocketAddr]) -> Option<IpAddr> {
    let refused = |reach: Reach| {
        let mut ips = addresses.iter().map(SocketAddr::ip);
        ips.find(|address| !reach.allows(*address))
    };
    let found = refused(policy.reach)?;
    #[cfg(feature = "oauth")]
    if let Some(server) = &policy.server {
        return match server.is_at(to) {
            true => None,
            false => refused(server.reach(policy).await),
        };
    }
    #[cfg(not(feature = "oauth"))]
    let _ = to;
    Some(found)
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
    let failed = |source| FetchError::Connect {
        origin: to.to_string(),
        source,
    };
    let connect = async {
        let socket = TcpStream::connect(addresses).await?;
        socket.set_nodelay(true)?;
        SockRef::from(&socket).set_tcp_keepalive(&tcp_keepalive())?;
        let address = socket.peer_addr()?.ip();
        Ok((socket, address))
    };
    if !to.secure {
        // The policy has checked that the name is that of this machine. It must also resolve to it.
        let remote = addresses.iter().find(|address| !address.ip().is_loopback());
        if remote.is_some() {
            return Err(FetchError::Url(UrlFault::Scheme("http".to_owned())));
        }
        let (socket, address) = connect.await.map_err(failed)?;
        return Ok((Box::new(socket), address));
    }
    let config = policy.tls().await?;
    let name = ServerName::try_from(to.host.clone());
    let name = name.map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
    let (socket, address) = connect.await.map_err(failed)?;
    let stream = TlsConnector::from(config).connect(name, socket).await;
    Ok((Box::new(stream.map_err(failed)?), address))
}

/// Lets the system detect that the host has vanished, even if the policy has no timeouts.
fn tcp_keepalive() -> TcpKeepalive {
    TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE_INTERVAL)
}
