//! [`EventStore`]: what was said on the streams of legacy sessions, for clients that come back.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::sync::Notify;

/// What a store's methods return: a future in a box, so that a store can be a trait object.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A store failed.
#[derive(Debug, thiserror::Error)]
#[error("a store failed")]
pub struct StoreError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Events of a stream, as [`EventStore::read`] finds them.
#[derive(Clone, Debug, Default)]
pub struct EventPage {
    /// Messages and their numbers, in order.
    pub events: Vec<(u64, Bytes)>,
    /// Whether nothing follows these.
    pub ended: bool,
}

/// Keeps the events of streams of legacy sessions for a while, so that a client can resume a
/// stream after its connection broke, at whatever process it comes to.
///
/// Numbers of a stream begin at 1 and have no gaps. How much is kept is the store's decision.
pub trait EventStore: Send + Sync + 'static {
    /// Begins a stream.
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()>;

    /// Adds an event to a stream; `None` ends the stream. A number that is there already is left
    /// as it is: the caller was interrupted, and tries again.
    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()>;

    /// Waits until a stream has events after a number or has ended, and returns what there is.
    /// `None` where the stream is not known.
    fn read<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        after: u64,
    ) -> StoreFuture<'a, Option<EventPage>>;

    /// Forgets the streams of a session.
    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// How many streams that have ended are kept for a session.
const ENDED_STREAMS: usize = 16;
/// Bytes of events that are kept for a session.
const SESSION_BYTES: usize = 1 << 20;
/// Bytes of events that are kept in all.
const ALL_BYTES: usize = 64 << 20;

/// Events in the memory of this process.
///
/// At most 64 MiB of events are kept, 1 MiB for a session, and of each stream as many events as it
/// is made for; for a session, 16 streams that have ended are kept. The oldest give way, and the
/// sessions that were silent for longest. The newest event of a stream that goes on stays in any
/// case.
pub struct MemoryEvents {
    kept: usize,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    bytes: usize,
    sessions: HashMap<String, Streams>,
    /// How often sessions spoke.
    clock: u64,
}

#[derive(Default)]
struct Streams {
    bytes: usize,
    /// How many have ended.
    ended: usize,
    /// When it last spoke.
    spoke: u64,
    /// Oldest first.
    all: VecDeque<StoredStream>,
}

struct StoredStream {
    id: String,
    /// The number of the newest event.
    last: u64,
    events: VecDeque<(u64, Bytes)>,
    ended: bool,
    /// There once a reader has waited.
    changed: Option<Arc<Notify>>,
}

impl MemoryEvents {
    /// Keeps at most so many events of each stream, at least one.
    #[must_use]
    pub fn new(kept: usize) -> Self {
        Self {
            kept: kept.max(1),
            all: Mutex::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
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
        // Whoever speaks began lately.
        let Some(kept) = streams.all.iter_mut().rfind(|kept| kept.id == stream) else {
            return;
        };
        let before = streams.bytes;
        match message {
            None => {
                streams.ended += usize::from(!kept.ended);
                kept.ended = true;
            }
            Some(message) if number > kept.last => {
                kept.last = number;
                self.clock += 1;
                streams.spoke = self.clock;
                streams.bytes += message.len();
                kept.events.push_back((number, message));
                if kept.events.len() > limit {
                    streams.bytes -= kept.give();
                }
            }
            Some(_) => {}
        }
        kept.tell();
        streams.shrink(SESSION_BYTES, ENDED_STREAMS);
        self.bytes = self.bytes - before + streams.bytes;
        if self.bytes > ALL_BYTES {
            self.shrink();
        }
    }

    /// Makes room in the sessions that were silent for longest: more than is needed now, since all
    /// of them are looked at.
    fn shrink(&mut self) {
        let mut silent: Vec<&mut Streams> = self.sessions.values_mut().collect();
        silent.sort_unstable_by_key(|streams| streams.spoke);
        for streams in silent {
            let before = streams.bytes;
            streams.shrink(0, 0);
            self.bytes = self.bytes - before + streams.bytes;
            if self.bytes <= ALL_BYTES - ALL_BYTES / 8 {
                return;
            }
        }
    }

    /// What tells of changes of a stream.
    fn changed(&mut self, session: &str, stream: &str) -> Option<Arc<Notify>> {
        let mut streams = self.sessions.get_mut(session)?.all.iter_mut();
        let kept = streams.rfind(|kept| kept.id == stream)?;
        Some(Arc::clone(kept.changed.get_or_insert_default()))
    }

    fn find(&self, session: &str, stream: &str) -> Option<&StoredStream> {
        let mut streams = self.sessions.get(session)?.all.iter();
        streams.rfind(|kept| kept.id == stream)
    }

    fn remove(&mut self, session: &str) {
        let Some(streams) = self.sessions.remove(session) else {
            return;
        };
        self.bytes -= streams.bytes;
        for kept in &streams.all {
            kept.tell();
        }
    }
}

impl Streams {
    /// Keeps no more than so many bytes and streams that have ended, as far as possible.
    fn shrink(&mut self, bytes: usize, ended: usize) {
        while self.ended > ended
            && let Some(oldest) = self.all.iter().position(|kept| kept.ended)
            && let Some(mut gone) = self.all.remove(oldest)
        {
            while !gone.events.is_empty() {
                self.bytes -= gone.give();
            }
            gone.tell();
            self.ended -= 1;
        }
        if self.bytes <= bytes {
            return;
        }
        for kept in &mut self.all {
            while self.bytes > bytes && kept.events.len() > 1 {
                self.bytes -= kept.give();
            }
        }
    }
}

impl StoredStream {
    /// Gives the oldest event up: how many bytes that is.
    fn give(&mut self) -> usize {
        let gone = self.events.pop_front();
        gone.map_or(0, |(_, message)| message.len())
    }

    /// Wakes the readers.
    fn tell(&self) {
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

/// What is done without waiting.
struct Done;

impl Future for Done {
    type Output = Result<(), StoreError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(()))
    }
}

impl EventStore for MemoryEvents {
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()> {
        let kept = StoredStream {
            id: stream.to_owned(),
            last: 0,
            events: VecDeque::new(),
            ended: false,
            changed: None,
        };
        let mut all = self.all();
        // Most sessions are known.
        if let Some(streams) = all.sessions.get_mut(session) {
            streams.all.push_back(kept);
        } else {
            let mut streams = Streams::default();
            streams.all.push_back(kept);
            all.sessions.insert(session.to_owned(), streams);
        }
        Box::pin(Done)
    }

    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()> {
        self.all().add(session, stream, number, message, self.kept);
        Box::pin(Done)
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
                let told = changed.notified();
                tokio::pin!(told);
                // Enabled before the look, so that nothing is missed in between.
                told.as_mut().enable();
                let page = self
                    .all()
                    .find(session, stream)
                    .map(|kept| kept.page(after));
                match page {
                    Some(page) if page.events.is_empty() && !page.ended => told.await,
                    page => return Ok(page),
                }
            }
        })
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.all().remove(session);
        Box::pin(Done)
    }
}
