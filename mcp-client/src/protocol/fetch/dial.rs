//! [`dial`]: connects to hosts that are not trusted.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

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
    let trusted = to.is_among(&policy.hosts);
    if policy.only && !trusted {
        let origin = to.to_string();
        return Err(FetchError::Host { origin });
    }
    let addresses = resolve(policy.resolver.as_ref(), to).await;
    let addresses = addresses.map_err(|source| FetchError::Resolve {
        origin: to.to_string(),
        source,
    })?;
    if !trusted {
        // A single address that is not allowed is enough to reject the name.
        let mut ips = addresses.iter().map(SocketAddr::ip);
        if let Some(address) = ips.find(|address| !policy.reach.allows(*address)) {
            return Err(FetchError::Address {
                origin: to.to_string(),
                address,
            });
        }
    }
    let failed = |source| FetchError::Connect {
        origin: to.to_string(),
        source,
    };
    let connect = async {
        let socket = TcpStream::connect(addresses.as_slice()).await?;
        socket.set_nodelay(true)?;
        SockRef::from(&socket).set_tcp_keepalive(&tcp_keepalive())?;
        Ok(socket)
    };
    if !to.secure {
        // The policy has checked that the name is that of this machine. It must also resolve to it.
        let remote = addresses.iter().find(|address| !address.ip().is_loopback());
        if remote.is_some() {
            return Err(FetchError::Url(UrlFault::Scheme("http".to_owned())));
        }
        return Ok(Box::new(connect.await.map_err(failed)?));
    }
    let config = policy.tls().await?;
    let name = ServerName::try_from(to.host.clone());
    let name = name.map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
    let socket = connect.await.map_err(failed)?;
    let stream = TlsConnector::from(config).connect(name, socket).await;
    Ok(Box::new(stream.map_err(failed)?))
}

/// Lets the system detect that the host has vanished, even if the policy has no timeouts.
fn tcp_keepalive() -> TcpKeepalive {
    TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE_INTERVAL)
}
