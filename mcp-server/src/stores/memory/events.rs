//! [`MemoryEvents`]: the events of legacy streams in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::protocol::store::StoreFuture;
use crate::protocol::store::{EventPage, EventStore, StreamKey};
use crate::util::lock::lock;

/// The number of events of a stream that are kept unless a program sets it.
const EVENTS: usize = 256;

/// The time after which a read without events returns.
const READ_TIME: Duration = Duration::from_secs(5);

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
/// removed. Streams do not expire, because their sessions do.
pub(crate) struct MemoryEvents {
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
    about: Vec<u8>,
    /// The number of the newest event.
    last_number: u64,
    events: VecDeque<(u64, Bytes)>,
    ended: bool,
    /// Present once a reader has waited.
    changed: Option<Arc<Notify>>,
}

impl Default for MemoryEvents {
    fn default() -> Self {
        Self::new(EVENTS)
    }
}

impl MemoryEvents {
    /// Creates a store that keeps at most `events` events of each stream, but at least one.
    pub(crate) fn new(events: usize) -> Self {
        Self {
            events_per_stream: events.max(1),
            all: Mutex::default(),
        }
    }
}

impl EventTable {
    fn add(&mut self, stream: StreamKey<'_>, number: u64, message: Option<Bytes>, limit: usize) {
        let Some(streams) = self.sessions.get_mut(stream.session) else {
            return;
        };
        // Search from the end: active streams are usually the newest.
        let Some(stored) = streams
            .all
            .iter_mut()
            .rfind(|stored| stored.id == stream.stream)
        else {
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
    fn changed(&mut self, stream: StreamKey<'_>) -> Option<Arc<Notify>> {
        let mut streams = self.sessions.get_mut(stream.session)?.all.iter_mut();
        let stored = streams.rfind(|stored| stored.id == stream.stream)?;
        Some(Arc::clone(stored.changed.get_or_insert_default()))
    }

    fn find(&self, stream: StreamKey<'_>) -> Option<&StoredStream> {
        let mut streams = self.sessions.get(stream.session)?.all.iter();
        streams.rfind(|stored| stored.id == stream.stream)
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

/// Returns a future that is ready.
fn ready<'a>() -> StoreFuture<'a, ()> {
    Box::pin(std::future::ready(Ok(())))
}

impl EventStore for MemoryEvents {
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        _: Duration,
    ) -> StoreFuture<'a, ()> {
        let mut all = lock(&self.all);
        if all.find(stream).is_some() {
            return ready();
        }
        let stored = StoredStream {
            id: stream.stream.to_owned(),
            about: about.to_vec(),
            last_number: 0,
            events: VecDeque::new(),
            ended: false,
            changed: None,
        };
        // Not `entry`: most sessions exist, and it would need an owned key.
        if let Some(streams) = all.sessions.get_mut(stream.session) {
            streams.all.push_back(stored);
        } else {
            let mut streams = Streams::default();
            streams.all.push_back(stored);
            all.sessions.insert(stream.session.to_owned(), streams);
        }
        ready()
    }

    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>> {
        let about = lock(&self.all)
            .find(stream)
            .map(|stored| stored.about.clone());
        Box::pin(std::future::ready(Ok(about)))
    }

    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        _: Duration,
    ) -> StoreFuture<'a, ()> {
        lock(&self.all).add(stream, number, message, self.events_per_stream);
        ready()
    }

    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>> {
        Box::pin(async move {
            let Some(changed) = lock(&self.all).changed(stream) else {
                return Ok(None);
            };
            loop {
                let notified = changed.notified();
                tokio::pin!(notified);
                // Enabled before the stream is read, so that no notification is missed in between.
                notified.as_mut().enable();
                let page = lock(&self.all)
                    .find(stream)
                    .map(|stored| stored.page(after));
                let waits = page
                    .as_ref()
                    .is_some_and(|page| page.events.is_empty() && !page.ended);
                if !waits || timeout(READ_TIME, notified).await.is_err() {
                    return Ok(page);
                }
            }
        })
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        lock(&self.all).remove(session);
        ready()
    }
}
