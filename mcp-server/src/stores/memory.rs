//! [`Memory`]: a store in the memory of this process.

pub(crate) mod bus;
#[cfg(feature = "http")]
pub(crate) mod events;
pub(crate) mod values;

use std::sync::Arc;
#[cfg(feature = "http")]
use std::time::Duration;

#[cfg(feature = "http")]
use bytes::Bytes;

use self::bus::MemoryBus;
#[cfg(feature = "http")]
use self::events::MemoryEvents;
use self::values::MemoryValues;
use crate::protocol::store::{
    Bus, BusPage, Put, PutOutcome, StoreFuture, ValueStore, VersionedValue,
};
#[cfg(feature = "http")]
use crate::protocol::store::{EventPage, EventStore, StreamKey};

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

#[cfg(feature = "http")]
impl EventStore for Memory {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        self.0.events.open(stream, about, kept)
    }

    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.0.events.about(stream)
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        self.0.events.append(stream, number, message, kept)
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        self.0.events.read(stream, after)
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.0.events.remove_session(session)
    }
}
