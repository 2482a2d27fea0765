//! [`EventStore`]: stores the events of legacy streams, so that clients can resume them.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::sync::Notify;

/// The future that a store's methods return. Boxed, so that a store can be a trait object.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The error of a [`SessionStore`](crate::SessionStore) or [`EventStore`], with its cause.
#[derive(Debug, thiserror::Error)]
#[error("the session store or event store failed")]
pub struct StoreError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Events of a stream, as [`EventStore::read`] returns them.
#[derive(Clone, Debug, Default)]
pub struct EventPage {
    /// Numbers and messages, in order.
    pub events: Vec<(u64, Bytes)>,
    /// Whether the stream has ended after these events.
    pub ended: bool,
}

/// Stores the events of legacy streams for a while, so that a client can resume a stream after its
/// connection failed, at any process.
///
/// The numbers of a stream start at 1 and have no gaps. The store decides how many events it keeps.
pub trait EventStore: Send + Sync + 'static {
    /// Creates a stream.
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()>;

    /// Appends an event to a stream. `None` ends the stream. If the number exists already, nothing
    /// is changed: the caller was interrupted and retries.
    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()>;

    /// Waits until a stream has events after a number or has ended, and returns these events.
    /// Returns `None` if the stream is unknown.
    fn read<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        after: u64,
    ) -> StoreFuture<'a, Option<EventPage>>;

    /// Removes all streams of a session.
    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// The maximum number of ended streams of a session.
const ENDED_STREAMS: usize = 16;
/// The maximum size of a session's events in bytes.
const SESSION_BYTES: usize = 1 << 20;
/// The maximum size of all events in bytes.
const ALL_BYTES: usize = 64 << 20;

/// An [`EventStore`] in the memory of this process.
///
/// Stores at most 64 MiB of events, 1 MiB and 16 ended streams per session, and the number of
/// events per stream given to [`new`](Self::new). Beyond that it removes the oldest events, and
/// those of sessions without new events for longest. The newest event of an open stream is never
/// removed.
pub struct MemoryEvents {
    events_per_stream: usize,
    all: Mutex<EventTable>,
}

#[derive(Default)]
struct EventTable {
    bytes: usize,
    sessions: HashMap<String, Streams>,
    /// The number of events so far. Orders sessions by their latest event.
    clock: u64,
}

#[derive(Default)]
struct Streams {
    bytes: usize,
    /// The number of ended streams.
    ended: usize,
    /// The value of the clock at the latest event.
    latest: u64,
    /// Oldest first.
    all: VecDeque<StoredStream>,
}

struct StoredStream {
    id: String,
    /// The number of the newest event.
    last_number: u64,
    events: VecDeque<(u64, Bytes)>,
    ended: bool,
    /// Present once a reader has waited.
    changed: Option<Arc<Notify>>,
}

impl MemoryEvents {
    /// Creates a store that keeps at most `events` events of each stream, but at least one.
    #[must_use]
    pub fn new(events: usize) -> Self {
        Self {
            events_per_stream: events.max(1),
            all: Mutex::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, EventTable> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventTable {
    fn add(
        &mut self,
        session: &str,
        stream: &str,
        number: u64,
        message: Option<Bytes>,
        limit: usize,
    ) {
        let Some(streams) = self.sessions.get_mut(session) else {
            return;
        };
        // Search from the end: active streams are usually the newest.
        let Some(stored) = streams.all.iter_mut().rfind(|stored| stored.id == stream) else {
            return;
        };
        let before = streams.bytes;
        match message {
            None => {
                streams.ended += usize::from(!stored.ended);
                stored.ended = true;
            }
            Some(message) if number > stored.last_number => {
                stored.last_number = number;
                self.clock += 1;
                streams.latest = self.clock;
                streams.bytes += message.len();
                stored.events.push_back((number, message));
                if stored.events.len() > limit {
                    streams.bytes -= stored.remove_oldest();
                }
            }
            Some(_) => {}
        }
        stored.notify();
        streams.shrink(SESSION_BYTES, ENDED_STREAMS);
        self.bytes = self.bytes - before + streams.bytes;
        if self.bytes > ALL_BYTES {
            self.shrink();
        }
    }

    /// Removes events of the sessions without new events for longest. Removes more than necessary,
    /// because it scans all sessions.
    fn shrink(&mut self) {
        let mut by_age: Vec<&mut Streams> = self.sessions.values_mut().collect();
        by_age.sort_unstable_by_key(|streams| streams.latest);
        for streams in by_age {
            let before = streams.bytes;
            streams.shrink(0, 0);
            self.bytes = self.bytes - before + streams.bytes;
            if self.bytes <= ALL_BYTES - ALL_BYTES / 8 {
                return;
            }
        }
    }

    /// Returns the notification of changes of a stream.
    fn changed(&mut self, session: &str, stream: &str) -> Option<Arc<Notify>> {
        let mut streams = self.sessions.get_mut(session)?.all.iter_mut();
        let stored = streams.rfind(|stored| stored.id == stream)?;
        Some(Arc::clone(stored.changed.get_or_insert_default()))
    }

    fn find(&self, session: &str, stream: &str) -> Option<&StoredStream> {
        let mut streams = self.sessions.get(session)?.all.iter();
        streams.rfind(|stored| stored.id == stream)
    }

    fn remove(&mut self, session: &str) {
        let Some(streams) = self.sessions.remove(session) else {
            return;
        };
        self.bytes -= streams.bytes;
        for stored in &streams.all {
            stored.notify();
        }
    }
}

impl Streams {
    /// Removes ended streams and old events, as far as possible, until at most `ended` ended
    /// streams and `bytes` bytes are left.
    fn shrink(&mut self, bytes: usize, ended: usize) {
        while self.ended > ended
            && let Some(oldest) = self.all.iter().position(|stored| stored.ended)
            && let Some(mut removed) = self.all.remove(oldest)
        {
            while !removed.events.is_empty() {
                self.bytes -= removed.remove_oldest();
            }
            removed.notify();
            self.ended -= 1;
        }
        if self.bytes <= bytes {
            return;
        }
        for stored in &mut self.all {
            while self.bytes > bytes && stored.events.len() > 1 {
                self.bytes -= stored.remove_oldest();
            }
        }
    }
}

impl StoredStream {
    /// Removes the oldest event. Returns its size in bytes.
    fn remove_oldest(&mut self) -> usize {
        let removed = self.events.pop_front();
        removed.map_or(0, |(_, message)| message.len())
    }

    /// Wakes the readers.
    fn notify(&self) {
        if let Some(changed) = &self.changed {
            changed.notify_waiters();
        }
    }

    fn page(&self, after: u64) -> EventPage {
        let events = self.events.iter().filter(|(number, _)| *number > after);
        EventPage {
            events: events.cloned().collect(),
            ended: self.ended,
        }
    }
}

/// A future that is ready.
struct Ready;

impl Future for Ready {
    type Output = Result<(), StoreError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(()))
    }
}

impl EventStore for MemoryEvents {
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()> {
        let stored = StoredStream {
            id: stream.to_owned(),
            last_number: 0,
            events: VecDeque::new(),
            ended: false,
            changed: None,
        };
        let mut all = self.all();
        // Not `entry`: most sessions exist, and it would need an owned key.
        if let Some(streams) = all.sessions.get_mut(session) {
            streams.all.push_back(stored);
        } else {
            let mut streams = Streams::default();
            streams.all.push_back(stored);
            all.sessions.insert(session.to_owned(), streams);
        }
        Box::pin(Ready)
    }

    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()> {
        self.all()
            .add(session, stream, number, message, self.events_per_stream);
        Box::pin(Ready)
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        after: u64,
    ) -> StoreFuture<'a, Option<EventPage>> {
        Box::pin(async move {
            let Some(changed) = self.all().changed(session, stream) else {
                return Ok(None);
            };
            loop {
                let notified = changed.notified();
                tokio::pin!(notified);
                // Enabled before the stream is read, so that no notification is missed in between.
                notified.as_mut().enable();
                let page = self
                    .all()
                    .find(session, stream)
                    .map(|stored| stored.page(after));
                match page {
                    Some(page) if page.events.is_empty() && !page.ended => notified.await,
                    page => return Ok(page),
                }
            }
        })
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.all().remove(session);
        Box::pin(Ready)
    }
}
