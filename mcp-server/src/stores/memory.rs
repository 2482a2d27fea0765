//! [`Memory`]: a store in the memory of this process.

pub(crate) mod bus;
#[cfg(feature = "http")]
pub(crate) mod events;
pub(crate) mod values;

use std::sync::Arc;

use self::bus::MemoryBus;
#[cfg(feature = "http")]
use self::events::MemoryEvents;
use self::values::MemoryValues;
use crate::protocol::store::{
    Bus, BusPage, Put, PutOutcome, StoreFuture, ValueStore, VersionedValue,
};

/// A [`Store`](crate::Store) in the memory of this process, for several servers in one process and
/// for tests. Clones share what they store.
///
/// Stores at most 64 MiB of values, 64 MiB of events, and 16 MiB of messages of the bus. Beyond
/// that, new values are refused, and the oldest events and messages are removed.
#[derive(Clone)]
pub struct Memory(Arc<Parts>);

struct Parts {
    values: MemoryValues,
    #[cfg(feature = "http")]
    events: MemoryEvents,
    bus: MemoryBus,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Parts {
            values: MemoryValues::default(),
            #[cfg(feature = "http")]
            events: MemoryEvents::default(),
            bus: MemoryBus::default(),
        }))
    }
}

impl ValueStore for Memory {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        self.0.values.get(key)
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        self.0.values.put(put)
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        self.0.values.remove(key)
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.0.values.keys(group, most)
    }
}

impl Bus for Memory {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        self.0.bus.publish(message)
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        self.0.bus.receive(after)
    }
}
