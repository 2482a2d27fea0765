//! Ways to the peer. Those over streams of bytes share one [connection](connection): a message a
//! line, requests at once, answers as they come.

mod connection;
mod flight;
mod outbox;
#[cfg(feature = "stdio")]
mod stdio;
#[cfg(feature = "stdio")]
mod stream;

#[cfg(all(feature = "http", feature = "legacy"))]
pub(crate) use connection::{Connection, Owner};
#[cfg(all(feature = "http", feature = "legacy"))]
pub(crate) use outbox::Outbox;
