//! A store on which operations take a while, so that requests at the same time interleave.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{
    Bus, BusPage, Condition, EventPage, EventStore, Memory, Put, PutOutcome, StoreError,
    StoreFuture, StreamKey, ValueStore, VersionedValue,
};

/// A store in memory, on which each operation on a value takes some milliseconds.
#[derive(Clone, Default)]
pub(crate) struct SlowStore {
    memory: Memory,
    /// Whether locks for renewals are taken by another process at once, as if they had expired.
    pub(crate) takes_locks: bool,
    /// The lock that was taken, and its version.
    taken: Arc<Mutex<Option<(String, u64)>>>,
}

impl SlowStore {
    /// Returns `true` if the other process still has the lock that it has taken.
    pub(crate) async fn is_still_taken(&self) -> bool {
        let taken = self.taken.lock().expect("no panic").clone();
        let (key, version) = taken.expect("a lock");
        let found = self.memory.get(&key).await.expect("readable");
        found.is_some_and(|found| found.version == version)
    }
}

async fn wait() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

impl ValueStore for SlowStore {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(async move {
            wait().await;
            self.memory.get(key).await
        })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            wait().await;
            let is_lock = self.takes_locks && put.key.contains(":renewal:");
            if !is_lock {
                return self.memory.put(put).await;
            }
            if matches!(put.condition, Condition::Version(_)) {
                return Err(StoreError::failed("the store fails"));
            }
            let locked = self.memory.put(put).await;
            let put = Put {
                condition: Condition::Any,
                ..put
            };
            if let PutOutcome::Written(version) = self.memory.put(put).await? {
                let taken = Some((put.key.to_owned(), version));
                *self.taken.lock().expect("no panic") = taken;
            }
            locked
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            wait().await;
            self.memory.remove(key).await
        })
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.memory.keys(group, most)
    }
}

impl EventStore for SlowStore {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        self.memory.open(stream, about, kept)
    }

    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.memory.about(stream)
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        self.memory.append(stream, number, message, kept)
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        self.memory.read(stream, after)
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.memory.remove_session(session)
    }
}

impl Bus for SlowStore {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        self.memory.publish(message)
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        self.memory.receive(after)
    }
}
