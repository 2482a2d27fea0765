//! [`resolve`]: the addresses of a host.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use tokio::net::lookup_host;

use crate::origin::Origin;

type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
pub(super) type Resolver = Arc<dyn Fn(String, u16) -> Resolving + Send + Sync>;

/// Resolves the host of an origin, with the system's resolver or another one. There is at least one
/// address.
pub(super) async fn resolve(
    resolver: Option<&Resolver>,
    to: &Origin,
) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = to.host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, to.port)]);
    }
    let found = match resolver {
        Some(resolve) => resolve(to.host.clone(), to.port).await?,
        None => lookup_host((to.host.as_str(), to.port)).await?.collect(),
    };
    if found.is_empty() {
        let fault = "no addresses found";
        return Err(io::Error::new(io::ErrorKind::NotFound, fault));
    }
    Ok(found)
}
