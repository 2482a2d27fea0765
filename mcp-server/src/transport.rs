//! Ways to the peer. Those over streams of bytes share one [connection](connection): a message a
//! line, requests at once, answers as they come.

pub(crate) mod bytes;
#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod in_flight;
pub(crate) mod line_connection;
pub(crate) mod stdio;
pub(crate) mod stream;
pub(crate) mod write_queue;
