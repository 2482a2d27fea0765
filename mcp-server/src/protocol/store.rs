//! [`Store`]: what the processes that serve one endpoint share.
//!
//! Three traits, because each needs another kind of database: [`ValueStore`] for values by key,
//! [`EventStore`] for the events of streams, [`Bus`] for messages between processes.

pub(crate) mod access;
pub(crate) mod bus;
pub(crate) mod error;
#[cfg(feature = "http")]
pub(crate) mod events;
pub(crate) mod link;
pub(crate) mod message;
pub(crate) mod outbox;
pub(crate) mod values;

use self::bus::Bus;
#[cfg(feature = "http")]
use self::events::EventStore;
use self::values::ValueStore;

/// A store for everything that processes share, for
/// [`ServerBuilder::store`](crate::ServerBuilder::store). Implemented by every type that implements
/// its parts.
#[cfg(feature = "http")]
pub trait Store: ValueStore + EventStore + Bus {}

#[cfg(feature = "http")]
impl<T: ValueStore + EventStore + Bus> Store for T {}

/// A store for everything that processes share, for
/// [`ServerBuilder::store`](crate::ServerBuilder::store). Implemented by every type that implements
/// its parts.
#[cfg(not(feature = "http"))]
pub trait Store: ValueStore + Bus {}

#[cfg(not(feature = "http"))]
impl<T: ValueStore + Bus> Store for T {}

/// The member that every format of this crate has: its version, which is read first.
#[derive(serde::Deserialize)]
pub(crate) struct FormatVersion {
    pub(crate) version: u32,
}
