//! An event store in memory with a hook for each call.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{EventPage, EventStore, Memory, StoreFuture, StreamKey};

/// The operations of a store, with the ids of the session and of the stream if the tests need them.
#[derive(Clone, Copy)]
pub(crate) enum Operation<'a> {
    Open(&'a str, &'a str),
    Append(&'a str, &'a str),
    Read(&'a str),
    Remove(&'a str),
}

/// A hook that runs before an operation of the store.
pub(crate) trait Hook: Send + Sync + 'static {
    fn before<'a>(
        &'a self,
        operation: Operation<'a>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// A store in memory with a hook.
pub(crate) struct Hooked<H> {
    pub(crate) hook: H,
    events: Memory,
}

impl<H: Hook> Hooked<H> {
    pub(crate) fn new(hook: H) -> Self {
        Self {
            hook,
            events: Memory::new(),
        }
    }

    fn run<'a, T: 'a>(
        &'a self,
        operation: Operation<'a>,
        then: impl FnOnce() -> StoreFuture<'a, T> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.hook.before(operation).await;
            then().await
        })
    }
}

impl<H: Hook> EventStore for Hooked<H> {
    fn open<'a>(&'a self, stream: StreamKey<'a>, kept: Duration) -> StoreFuture<'a, ()> {
        let then = move || self.events.open(stream, kept);
        self.run(Operation::Open(stream.session, stream.stream), then)
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()> {
        let then = move || self.events.append(stream, number, message, kept);
        self.run(Operation::Append(stream.session, stream.stream), then)
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        let then = move || self.events.read(stream, after);
        self.run(Operation::Read(stream.stream), then)
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        let then = move || self.events.remove_session(session);
        self.run(Operation::Remove(session), then)
    }
}
