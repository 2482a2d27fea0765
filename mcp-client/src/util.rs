//! Helpers without knowledge of the protocol.

#[cfg(feature = "http")]
pub(crate) mod http_body;
#[cfg(feature = "http")]
pub(crate) mod keepalive;
pub(crate) mod media_type;
pub(crate) mod origin;
#[cfg(feature = "tls")]
pub(crate) mod proxy;
#[cfg(feature = "tls")]
pub(crate) mod tls;
#[cfg(feature = "http")]
pub(crate) mod url;
