//! Ways to the peer. Those over streams of bytes share one [connection](connection): a message a
//! line, requests at once, answers as they come.

mod bytes;
mod connection;
mod flight;
mod outbox;
mod stdio;
mod stream;

#[cfg(feature = "http")]
pub(crate) use connection::{Connection, Owner};
#[cfg(feature = "http")]
pub(crate) use outbox::Outbox;
