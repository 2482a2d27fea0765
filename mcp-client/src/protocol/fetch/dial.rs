//! [`dial`]: connects to hosts that are not trusted.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::address::is_public;
use super::error::FetchError;
use super::policy::FetchPolicy;
use crate::util::keepalive::{KEEPALIVE, KEEPALIVE_INTERVAL};
use crate::util::origin::Origin;

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

/// Connects to an origin. Connects to the addresses that were checked: a name that is resolved to another
/// address a moment later cannot bypass the check.
pub(crate) async fn dial(
    policy: &FetchPolicy,
    to: &Origin,
) -> Result<TlsStream<TcpStream>, FetchError> {
    let trusted = to.is_among(&policy.hosts);
    if policy.only && !trusted {
        let origin = to.to_string();
        return Err(FetchError::Host { origin });
    }
    let addresses = addresses(policy, to).await;
    let addresses = addresses.map_err(|source| FetchError::Resolve {
        origin: to.to_string(),
        source,
    })?;
    if !policy.private && !trusted {
        // A single private address is enough to reject the name.
        let private = addresses.iter().find(|address| !is_public(address.ip()));
        if let Some(address) = private {
            return Err(FetchError::Address {
                origin: to.to_string(),
                address: address.ip(),
            });
        }
    }
    let config = policy.tls().await?;
    let failed = |source| FetchError::Connect {
        origin: to.to_string(),
        source,
    };
    let name = ServerName::try_from(to.host.clone());
    let name = name.map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
    let connect = async {
        let socket = TcpStream::connect(addresses.as_slice()).await?;
        socket.set_nodelay(true)?;
        SockRef::from(&socket).set_tcp_keepalive(&tcp_keepalive())?;
        TlsConnector::from(config).connect(name, socket).await
    };
    connect.await.map_err(failed)
}

/// Lets the system detect that the host has vanished, even if the policy has no timeouts.
fn tcp_keepalive() -> TcpKeepalive {
    TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE_INTERVAL)
}

async fn addresses(policy: &FetchPolicy, to: &Origin) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = to.host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, to.port)]);
    }
    let found = match &policy.resolver {
        Some(resolve) => resolve(to.host.clone(), to.port).await?,
        None => lookup_host((to.host.as_str(), to.port)).await?.collect(),
    };
    if found.is_empty() {
        let fault = "no addresses found";
        return Err(io::Error::new(io::ErrorKind::NotFound, fault));
    }
    Ok(found)
}
