//! Connections: their state, requests and the responses to them, and the negotiation of a revision.
//! Nothing here depends on a feature or a transport.

#[cfg(feature = "http")]
pub(crate) mod authorize;
pub(crate) mod caching;
pub(crate) mod capabilities;
pub(crate) mod connection;
pub(crate) mod error;
pub(crate) mod lenient;
pub(crate) mod limits;
pub mod middleware;
pub(crate) mod negotiation;
pub(crate) mod params;
pub(crate) mod request_meta;
pub(crate) mod roundtrip;
pub(crate) mod transport;
