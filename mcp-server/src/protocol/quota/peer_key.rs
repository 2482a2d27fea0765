//! [`PeerKey`]: identifies a peer.

use std::fmt::Write as _;
#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::Arc;

use crate::protocol::caller::{Extensions, Principal};

/// Identifies the peer of a request, for limits: see
/// [`Context::peer_key`](crate::Context::peer_key).
///
/// The key tells who sent a request, not whether the sender may do something. A program that counts
/// something for each peer should give peers that it cannot tell apart no limit of their own, only
/// that of all peers together: [`share`](Self::share).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PeerKey {
    /// A pair of byte streams, such as standard input and output. The number is unique among the
    /// connections that are open.
    Connection(usize),
    /// An authenticated [`Principal`].
    Principal(String),
    /// The address of an HTTP client, for IPv6 that of its /64 network.
    #[cfg(feature = "http")]
    Address(IpAddr),
    /// HTTP clients that cannot be distinguished.
    #[cfg(feature = "http")]
    Unknown,
}

impl PeerKey {
    /// Returns the limit of this peer: `limit`, or the maximum for peers that cannot be
    /// distinguished.
    #[must_use]
    pub fn share(&self, limit: usize) -> usize {
        match self {
            #[cfg(feature = "http")]
            Self::Unknown => usize::MAX,
            _ => limit,
        }
    }

    /// Returns the peer of a request with these extensions. The address of byte streams is that of
    /// their extensions, which live as long as they do.
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
    /// peers that cannot be distinguished.
    #[cfg(feature = "http")]
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Principal(principal) => Some(principal_text(principal)),
            Self::Address(address) => Some(format!("address:{address}")),
            Self::Connection(_) | Self::Unknown => None,
        }
    }
}

/// The maximum length of a principal in the keys of a store. Longer ones are replaced by a digest.
#[cfg(feature = "http")]
const PRINCIPAL_BYTES: usize = 512;

/// Returns a principal as a text for keys of stores, another one for each principal. It is short
/// with the feature `http`, which has a digest for long ones.
pub(crate) fn principal_text(principal: &str) -> String {
    let mut text = String::from("principal:");
    for byte in principal.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.@|/".contains(&byte) {
            text.push(byte.into());
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02x}");
        }
        #[cfg(feature = "http")]
        if text.len() > PRINCIPAL_BYTES {
            return digest(principal);
        }
    }
    text
}

#[cfg(feature = "http")]
fn digest(principal: &str) -> String {
    use sha2::{Digest as _, Sha256};

    let digest = Sha256::digest(principal.as_bytes());
    format!("principal-sha256:{}", crate::util::hex::encode(&digest))
}
