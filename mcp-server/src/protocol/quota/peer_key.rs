//! [`PeerKey`]: identifies a peer.

#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::Arc;

use crate::protocol::caller::extensions::{Extensions, Principal};

/// Identifies the peer for which something is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PeerKey {
    /// A pair of byte streams, identified by the memory address of its extensions.
    Connection(usize),
    /// An authenticated principal.
    Principal(String),
    /// The address of an HTTP client, for IPv6 that of its /64 network.
    #[cfg(feature = "http")]
    Address(IpAddr),
    /// HTTP clients that cannot be distinguished.
    #[cfg(feature = "http")]
    Unknown,
}

impl PeerKey {
    /// Returns the peer of a request with these extensions.
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

    /// Returns the peer of an HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn of_http(principal: Option<&str>, address: Option<IpAddr>) -> Self {
        match (principal, address) {
            (Some(principal), _) => Self::Principal(principal.to_owned()),
            (None, Some(address)) => Self::at(address),
            (None, None) => Self::Unknown,
        }
    }

    /// Returns the peer at an address. For IPv6 this is the /64 network, because one customer of a
    /// provider has at least that.
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

    /// Returns the peer as a text that is the same in all processes, for keys of stores. `None` for
    /// peers that cannot be distinguished, or whose names are too long for a key.
    #[cfg(feature = "http")]
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Principal(principal) => principal_text(principal),
            Self::Address(address) => Some(format!("address:{address}")),
            Self::Connection(_) | Self::Unknown => None,
        }
    }
}

/// The maximum length of a principal in the keys of a store.
const PRINCIPAL_BYTES: usize = 512;

/// Returns a principal as a text for keys of stores. `None` if it would be too long.
pub(crate) fn principal_text(principal: &str) -> Option<String> {
    let mut text = String::from("principal:");
    for byte in principal.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.@|/".contains(&byte) {
            text.push(byte.into());
        } else {
            let digit = |four: u8| char::from_digit(four.into(), 16).unwrap_or_default();
            text.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
        if text.len() > PRINCIPAL_BYTES {
            return None;
        }
    }
    Some(text)
}
