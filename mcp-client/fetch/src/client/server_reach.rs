//! [`ServerReach`]: which addresses the URLs of a server's metadata may have.

use std::net::IpAddr;

use tokio::sync::OnceCell;

use super::address::Reach;
use crate::origin::Origin;

/// The server whose metadata name URLs. Private addresses are allowed if the server has one itself.
///
/// What counts is the address of a connection over which the server has proved its name with its
/// certificate, or an address or `localhost` in the URL of the server. The answer of a resolver is
/// not enough: the owner of the name could answer each look-up differently.
pub(super) struct ServerReach {
    origin: Origin,
    reach: OnceCell<Reach>,
}

impl ServerReach {
    pub(super) fn new(origin: Origin) -> Self {
        let known = match origin.host.parse::<IpAddr>() {
            Ok(address) => Some(Reach::around(address)),
            Err(_) if origin.is_loopback() => Some(Reach::Loopback),
            Err(_) if !origin.secure => Some(Reach::Public),
            Err(_) => None,
        };
        Self {
            origin,
            reach: OnceCell::new_with(known),
        }
    }

    /// Returns which addresses are allowed. If the URL of the server contains a name, `connect`
    /// returns the address of a connection to it, once. Without one, only public addresses are
    /// allowed.
    pub(super) async fn reach(&self, connect: impl Future<Output = Option<IpAddr>>) -> Reach {
        let connect = || async { connect.await.map_or(Reach::Public, Reach::around) };
        *self.reach.get_or_init(connect).await
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }
}
