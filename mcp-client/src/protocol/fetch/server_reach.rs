//! [`ServerReach`]: which addresses the URLs of a server's metadata may have.

use std::net::IpAddr;

use tokio::sync::OnceCell;

use super::address::Reach;
use super::dial::connect_to_name;
use super::policy::FetchPolicy;
use crate::util::origin::Origin;

/// The server whose metadata name URLs. Private addresses are allowed if the server has one itself.
///
/// What counts is the address of a connection over which the server has proved its name with its
/// certificate, or an address or `localhost` in the URL of the server. The answer of a resolver is not
/// enough: whoever controls the name could answer each look-up differently.
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

    /// Returns `true` if the origin is that of the server. It is trusted, because the program named it.
    pub(super) fn is_at(&self, origin: &Origin) -> bool {
        self.origin == *origin
    }

    /// Returns which addresses are allowed. Connects to the server if its URL contains a name, once.
    /// If that fails, only public addresses are allowed.
    pub(super) async fn reach(&self, policy: &FetchPolicy) -> Reach {
        let connect = || async {
            if !matches!(policy.proxy.to(&self.origin), Ok(None)) {
                // Only the proxy knows the address.
                return Reach::Public;
            }
            match connect_to_name(policy, &self.origin).await {
                Ok((_, address)) => Reach::around(address),
                Err(error) => {
                    tracing::debug!(%error, "the address of the server is not known");
                    Reach::Public
                }
            }
        };
        *self.reach.get_or_init(connect).await
    }
}
