//! [`EventStore`]: what was said on the streams of legacy sessions, for clients that come back.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
pub struct Page {
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
    ) -> StoreFuture<'a, Option<Page>>;

    /// Forgets the streams of a session.
    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// How many streams that have ended are kept for a session.
const ENDED_STREAMS: usize = 16;
/// Bytes of events that are kept for a session.
const SESSION_BYTES: usize = 1 << 20;

/// Events in the memory of this process.
///
/// Of a session, at most 1 MiB of events and 16 streams that have ended are kept, and of each
/// stream as many events as it is made for; the oldest give way. The newest event of a stream
/// stays in any case.
pub struct MemoryEvents {
    kept: usize,
    sessions: Mutex<HashMap<String, Streams>>,
    changed: Notify,
}

#[derive(Default)]
struct Streams {
    bytes: usize,
    /// Oldest first.
    streams: VecDeque<Kept>,
}

struct Kept {
    id: String,
    /// The number of the newest event.
    last: u64,
    events: VecDeque<(u64, Bytes)>,
    ended: bool,
}

impl MemoryEvents {
    /// Keeps at most so many events of each stream, at least one.
    #[must_use]
    pub fn new(kept: usize) -> Self {
        Self {
            kept: kept.max(1),
            sessions: Mutex::default(),
            changed: Notify::new(),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Streams>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, session: &str, stream: &str, number: u64, message: Option<Bytes>) {
        let mut sessions = self.sessions();
        let Some(streams) = sessions.get_mut(session) else {
            return;
        };
        let mut known = streams.streams.iter_mut();
        let Some(kept) = known.find(|kept| kept.id == stream) else {
            return;
        };
        match message {
            None => kept.ended = true,
            Some(message) if number > kept.last => {
                kept.last = number;
                streams.bytes += message.len();
                kept.events.push_back((number, message));
                while kept.events.len() > self.kept {
                    let gone = kept.events.pop_front();
                    streams.bytes -= gone.map_or(0, |(_, message)| message.len());
                }
            }
            Some(_) => {}
        }
        streams.shrink();
    }

    fn page(&self, session: &str, stream: &str, after: u64) -> Option<Page> {
        let sessions = self.sessions();
        let mut streams = sessions.get(session)?.streams.iter();
        let kept = streams.find(|kept| kept.id == stream)?;
        let events = kept.events.iter().filter(|(number, _)| *number > after);
        Some(Page {
            events: events.cloned().collect(),
            ended: kept.ended,
        })
    }
}

impl Streams {
    fn shrink(&mut self) {
        let ended = self.streams.iter().filter(|kept| kept.ended).count();
        if ended > ENDED_STREAMS
            && let Some(oldest) = self.streams.iter().position(|kept| kept.ended)
            && let Some(gone) = self.streams.remove(oldest)
        {
            let bytes: usize = gone.events.iter().map(|(_, message)| message.len()).sum();
            self.bytes -= bytes;
        }
        for kept in &mut self.streams {
            while self.bytes > SESSION_BYTES && kept.events.len() > 1 {
                let gone = kept.events.pop_front();
                self.bytes -= gone.map_or(0, |(_, message)| message.len());
            }
        }
    }
}

impl EventStore for MemoryEvents {
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()> {
        let mut sessions = self.sessions();
        let streams = sessions.entry(session.to_owned()).or_default();
        streams.streams.push_back(Kept {
            id: stream.to_owned(),
            last: 0,
            events: VecDeque::new(),
            ended: false,
        });
        Box::pin(std::future::ready(Ok(())))
    }

    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()> {
        self.add(session, stream, number, message);
        self.changed.notify_waiters();
        Box::pin(std::future::ready(Ok(())))
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        after: u64,
    ) -> StoreFuture<'a, Option<Page>> {
        Box::pin(async move {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                // Enabled before the look, so that nothing is missed in between.
                changed.as_mut().enable();
                match self.page(session, stream, after) {
                    Some(page) if page.events.is_empty() && !page.ended => changed.await,
                    page => return Ok(page),
                }
            }
        })
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.sessions().remove(session);
        self.changed.notify_waiters();
        Box::pin(std::future::ready(Ok(())))
    }
}
