//! An event store in memory with a hook for each call.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use mcp_server::{EventPage, EventStore, MemoryEvents, StoreFuture};

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
    events: MemoryEvents,
}

impl<H: Hook> Hooked<H> {
    pub(crate) fn new(hook: H) -> Self {
        Self {
            hook,
            events: MemoryEvents::new(16),
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
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()> {
        let then = move || self.events.open(session, stream);
        self.run(Operation::Open(session, stream), then)
    }

    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()> {
        let then = move || self.events.append(session, stream, number, message);
        self.run(Operation::Append(session, stream), then)
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        after: u64,
    ) -> StoreFuture<'a, Option<EventPage>> {
        let then = move || self.events.read(session, stream, after);
        self.run(Operation::Read(stream), then)
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        let then = move || self.events.remove(session);
        self.run(Operation::Remove(session), then)
    }
}
