//! [`Faulty`]: a store that is slow, fails, or belongs to another release.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{
    Bus, BusPage, EventPage, EventStore, Memory, Put, PutOutcome, StoreError, StoreFuture,
    StreamKey, ValueStore, VersionedValue,
};
use tokio::time::sleep;

/// A store in memory with faults.
#[derive(Clone, Default)]
pub(crate) struct Faulty {
    pub(crate) memory: Memory,
    /// Whether values cannot be read and written.
    pub(crate) values_fail: Arc<AtomicBool>,
    /// The time after which values are read and written.
    pub(crate) values_delay: Duration,
    /// Whether events are never stored.
    pub(crate) events_stall: bool,
    /// The time after which messages of the bus arrive.
    pub(crate) bus_delay: Duration,
    /// The number of sessions that were written.
    pub(crate) session_writes: Arc<AtomicUsize>,
    /// Whether everything gets members, and each list of changes a change, that this release does
    /// not know.
    pub(crate) is_newer: bool,
}

impl Faulty {
    /// Adds a member to a JSON object, and to the one in it.
    fn written(&self, text: &[u8]) -> Vec<u8> {
        let Ok(serde_json::Value::Object(mut members)) = serde_json::from_slice(text) else {
            return text.to_vec();
        };
        if self.is_newer {
            for inner in members.values_mut().filter_map(|it| it.as_object_mut()) {
                if let Some(changes) = inner.get_mut("Changes").and_then(|it| it.as_array_mut()) {
                    changes.push(serde_json::json!({ "Later": "x" }));
                }
                for inner in inner.values_mut().filter_map(|it| it.as_object_mut()) {
                    inner.insert("later".to_owned(), 1.into());
                }
            }
            members.insert("later".to_owned(), "1".into());
        }
        serde_json::to_vec(&members).expect("JSON")
    }

    async fn check_values(&self) -> Result<(), StoreError> {
        if !self.values_delay.is_zero() {
            sleep(self.values_delay).await;
        }
        if self.values_fail.load(Ordering::Relaxed) {
            return Err(StoreError::failed("as asked"));
        }
        Ok(())
    }
}

impl ValueStore for Faulty {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(async move {
            self.check_values().await?;
            self.memory.get(key).await
        })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            self.check_values().await?;
            let names = [Some(put.key), put.group.map(|group| group.name)];
            assert!(names.iter().flatten().all(|name| name.len() <= 1024));
            if put.key.starts_with("session:") {
                self.session_writes.fetch_add(1, Ordering::Relaxed);
            }
            let value = &self.written(put.value);
            self.memory.put(Put { value, ..put }).await
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        self.memory.remove(key)
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.memory.keys(group, most)
    }
}

impl EventStore for Faulty {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let about = self.written(about);
            self.memory.open(stream, &about, kept).await
        })
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
        if self.events_stall {
            return Box::pin(pending());
        }
        self.memory.append(stream, number, message, kept)
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        self.memory.read(stream, after)
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.memory.remove_session(session)
    }
}

impl Bus for Faulty {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let message = self.written(message);
            self.memory.publish(&message).await
        })
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        Box::pin(async move {
            let page = self.memory.receive(after).await;
            sleep(self.bus_delay).await;
            page
        })
    }
}
