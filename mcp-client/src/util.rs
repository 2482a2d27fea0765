//! Helpers that know nothing of the protocol.

#[cfg(feature = "http")]
pub(crate) mod http_body;
pub(crate) mod origin;
#[cfg(feature = "tls")]
pub(crate) mod tls;
#[cfg(feature = "http")]
pub(crate) mod url;
