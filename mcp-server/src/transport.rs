//! Transports: standard streams, byte streams and HTTP. Byte streams share `line_connection`: each
//! line is a message, and requests run concurrently.

#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod in_flight;
pub(crate) mod line_connection;
pub(crate) mod stdio;
pub(crate) mod stream;
