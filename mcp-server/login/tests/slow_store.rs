//! A store on which operations take a while, so that requests at the same time interleave.

use std::time::Duration;

use bytes::Bytes;
use mcp_server::{
    Bus, BusPage, EventPage, EventStore, Memory, Put, PutOutcome, StoreFuture, StreamKey,
    ValueStore, VersionedValue,
};

/// A store in memory, on which each operation on a value takes some milliseconds.
#[derive(Clone, Default)]
pub(crate) struct SlowStore(Memory);

async fn wait() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

impl ValueStore for SlowStore {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(async move {
            wait().await;
            self.0.get(key).await
        })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            wait().await;
            self.0.put(put).await
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            wait().await;
            self.0.remove(key).await
        })
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.0.keys(group, most)
    }
}

impl EventStore for SlowStore {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        self.0.open(stream, about, kept)
    }

    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.0.about(stream)
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        self.0.append(stream, number, message, kept)
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        self.0.read(stream, after)
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.0.remove_session(session)
    }
}

impl Bus for SlowStore {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        self.0.publish(message)
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        self.0.receive(after)
    }
}
