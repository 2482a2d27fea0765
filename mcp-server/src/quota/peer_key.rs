//! [`PeerKey`]: how peers are told apart.

#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::Arc;

use crate::context::{Extensions, Principal};

/// Who something counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PeerKey {
    /// A pair of byte streams, by the address of what its requests share.
    Connection(usize),
    /// An authenticated peer.
    Principal(String),
    /// The address of an HTTP client, for IPv6 its network.
    #[cfg(feature = "http")]
    Address(IpAddr),
    /// HTTP clients that cannot be told apart.
    #[cfg(feature = "http")]
    Unknown,
}

impl PeerKey {
    /// The peer that sent a request with these extensions.
    pub(crate) fn of(extensions: &Arc<Extensions>) -> Self {
        #[cfg(feature = "http")]
        if extensions.parts().is_some() {
            let address = extensions.get::<crate::PeerAddress>();
            let address = address.map(|address| address.0);
            let principal = extensions.get().map(|principal: &Principal| &*principal.0);
            return Self::of_http(principal, address);
        }
        match extensions.get::<Principal>() {
            Some(principal) => Self::Principal(principal.0.clone()),
            None => Self::Connection(Arc::as_ptr(extensions).addr()),
        }
    }

    /// The peer that sent an HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn of_http(principal: Option<&str>, address: Option<IpAddr>) -> Self {
        match (principal, address) {
            (Some(principal), _) => Self::Principal(principal.to_owned()),
            (None, Some(address)) => Self::at(address),
            (None, None) => Self::Unknown,
        }
    }

    /// The peer at an address. One customer of a network has an address, or for IPv6 the upper half
    /// of one.
    #[cfg(feature = "http")]
    pub(crate) fn at(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        })
    }
}
