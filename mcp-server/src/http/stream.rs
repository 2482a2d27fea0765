//! [`Stream`]: what a legacy request says, on its way to the event store, and [`Reader`]: the
//! connection that reads it from there. The two do not depend on each other's life.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use mcp_types::sse::{Event, write_event};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use super::answer::comment;
use super::events::EventStore;
use crate::engine::Answer;
use crate::outlet::{Outlet, Push};
use crate::race::{Either, race};

/// How long a client is asked to wait before it comes back.
const RETRY: Duration = Duration::from_millis(500);

/// The stream of one POST, or of the announcements of a session.
pub(super) struct Stream {
    pub(super) session: Box<str>,
    /// Given when events are written.
    id: OnceLock<String>,
    store: Arc<dyn EventStore>,
    /// Whether clients know how to come back to a stream that has said nothing yet.
    pub(super) primes: bool,
    limit: usize,
    /// How many events may be in the store that the connection has not read.
    ahead: u64,
    state: Mutex<State>,
    changed: Notify,
    /// Counted up to send the connections away.
    kicks: watch::Sender<u64>,
    readers: AtomicUsize,
    read: AtomicU64,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Bytes>,
    bytes: usize,
    number: u64,
    phase: Phase,
    answer: Option<Answer>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// It may still become one JSON text.
    #[default]
    Open,
    /// Events are written.
    Begun,
    /// Nobody will ever read.
    Closed,
}

/// How a response begins.
pub(super) enum First {
    /// All is said: what came before the answer, and the answer.
    Whole(Vec<Bytes>, Answer),
    /// It goes on.
    Events,
}

impl Stream {
    pub(super) fn new(
        session: &str,
        store: Arc<dyn EventStore>,
        primes: bool,
        limits: &crate::limits::Limits,
    ) -> Self {
        Self {
            session: session.into(),
            id: OnceLock::new(),
            store,
            primes,
            limit: limits.queued_bytes,
            ahead: (limits.kept_events as u64 / 2).max(1),
            state: Mutex::default(),
            changed: Notify::new(),
            kicks: watch::Sender::new(0),
            readers: AtomicUsize::new(0),
            read: AtomicU64::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What events are named after; empty before there are any.
    pub(super) fn id(&self) -> &str {
        self.id.get().map_or("", String::as_str)
    }

    /// Everything said so far.
    pub(super) fn take(&self) -> Vec<Bytes> {
        let mut state = self.state();
        state.bytes = 0;
        state.queue.drain(..).collect()
    }

    /// Nobody will read.
    pub(super) fn close(&self) {
        let mut state = self.state();
        if state.phase == Phase::Open {
            state.phase = Phase::Closed;
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Begins to write events. `true` where the answer came meanwhile, and who calls has to
    /// [finish](Self::finish) the stream.
    pub(super) async fn begin(&self, id: String) -> bool {
        let id = self.id.get_or_init(|| id);
        if let Err(error) = self.store.open(&self.session, id).await {
            tracing::error!(error = %crate::error::Chain(&error), "a stream cannot be kept");
        }
        let mut state = self.state();
        state.phase = Phase::Begun;
        let last = state.answer.take();
        let over = last.is_some();
        state
            .queue
            .extend(last.map(|last| Bytes::from(last.message)));
        drop(state);
        self.changed.notify_waiters();
        over
    }

    /// Waits for what decides the form of the response.
    pub(super) async fn first(&self, patience: Duration) -> First {
        let decided = self.wait(|state| {
            let kicked = *self.kicks.borrow() > 0;
            kicked || state.answer.is_some() || !state.queue.is_empty()
        });
        // Which of the two it was does not matter: the state says it.
        let _ = race(decided, sleep(patience)).await;
        let answer = self.state().answer.take();
        if let Some(answer) = answer {
            return First::Whole(self.take(), answer);
        }
        First::Events
    }

    /// Notes the answer. `true` where it has to be written as an event.
    pub(super) fn answered(&self, answer: Answer) -> bool {
        let mut state = self.state();
        match state.phase {
            Phase::Begun => {
                state.queue.push_back(answer.message.into());
            }
            Phase::Open => state.answer = Some(answer),
            Phase::Closed => {}
        }
        let begun = state.phase == Phase::Begun;
        drop(state);
        self.changed.notify_waiters();
        begun
    }

    async fn wait(&self, done: impl Fn(&State) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Enabled before the look, so that nothing is missed in between.
            changed.as_mut().enable();
            if done(&self.state()) {
                return;
            }
            changed.await;
        }
    }

    /// Moves what is said to the store, for ever. Safe to drop.
    pub(super) async fn pump(&self) {
        loop {
            self.wait(|state| state.phase == Phase::Begun && !state.queue.is_empty())
                .await;
            self.step().await;
        }
    }

    /// Moves the rest to the store, and ends the stream.
    pub(super) async fn finish(&self) {
        loop {
            if self.state().queue.is_empty() {
                break;
            }
            self.step().await;
        }
        let number = self.state().number + 1;
        self.append(number, None).await;
    }

    async fn step(&self) {
        // A connection that reads slowly is waited for; a client that is away is not.
        self.wait(|state| {
            let read = self.read.load(Ordering::Acquire);
            self.readers.load(Ordering::Acquire) == 0 || state.number < read + self.ahead
        })
        .await;
        let (number, message) = {
            let state = self.state();
            let Some(message) = state.queue.front().cloned() else {
                return;
            };
            (state.number + 1, message)
        };
        self.append(number, Some(message)).await;
        let mut state = self.state();
        state.number = number;
        let gone = state.queue.pop_front();
        state.bytes = state
            .bytes
            .saturating_sub(gone.map_or(0, |gone| gone.len()));
        drop(state);
        self.changed.notify_waiters();
    }

    async fn append(&self, number: u64, message: Option<Bytes>) {
        let kept = self.store.append(&self.session, self.id(), number, message);
        if let Err(error) = kept.await {
            tracing::error!(error = %crate::error::Chain(&error), "an event is lost");
        }
    }

    /// The number of the newest event.
    pub(super) fn number(&self) -> u64 {
        self.state().number
    }

    /// Sends the connections that read away.
    pub(super) fn kick(&self) -> u64 {
        self.kicks.send_modify(|kicks| *kicks += 1);
        self.changed.notify_waiters();
        *self.kicks.borrow()
    }
}

impl Outlet for Stream {
    fn push(&self, message: &[u8]) -> Push {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            return Push::Closed;
        }
        if !state.queue.is_empty() && state.bytes + message.len() > self.limit {
            return Push::Full;
        }
        state.bytes += message.len();
        state.queue.push_back(Bytes::copy_from_slice(message));
        drop(state);
        self.changed.notify_waiters();
        Push::Queued
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.wait(|state| state.phase == Phase::Closed || state.queue.is_empty()))
    }

    fn detach(&self) {
        if self.primes {
            self.kick();
        }
    }
}

/// A connection that reads a stream from the store.
pub(super) struct Reader {
    session: Box<str>,
    stream: String,
    store: Arc<dyn EventStore>,
    after: u64,
    prime: bool,
    keep_alive: Duration,
    /// The stream, where its request is served by this process, and the kick that ends us.
    live: Option<(Arc<Stream>, u64)>,
    over: bool,
    /// What lives as long as the connection.
    _held: Box<dyn Send>,
}

impl Reader {
    /// Reads a stream of this process from its beginning or, for one that is resumed, after an
    /// event.
    pub(super) fn live(
        stream: Arc<Stream>,
        after: Option<u64>,
        kick: u64,
        keep_alive: Duration,
        held: Box<dyn Send>,
    ) -> Self {
        stream.readers.fetch_add(1, Ordering::AcqRel);
        stream.read.store(after.unwrap_or(0), Ordering::Release);
        Self {
            session: stream.session.clone(),
            stream: stream.id().to_owned(),
            store: Arc::clone(&stream.store),
            after: after.unwrap_or(0),
            prime: stream.primes && after.is_none(),
            keep_alive,
            live: Some((stream, kick)),
            over: false,
            _held: held,
        }
    }

    /// Reads a stream whose request is over, or served by another process.
    pub(super) fn stored(
        store: Arc<dyn EventStore>,
        session: &str,
        stream: &str,
        after: u64,
        keep_alive: Duration,
        held: Box<dyn Send>,
    ) -> Self {
        Self {
            session: session.into(),
            stream: stream.to_owned(),
            store,
            after,
            prime: false,
            keep_alive,
            live: None,
            over: false,
            _held: held,
        }
    }

    /// Whether nothing follows.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The next bytes; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        if self.over {
            return None;
        }
        let mut out = Vec::new();
        if std::mem::take(&mut self.prime) {
            self.write(&mut out, self.after, b"", Some(RETRY));
            return Some(out);
        }
        let read = self.store.read(&self.session, &self.stream, self.after);
        let read = race(read, sleep(self.keep_alive));
        let read = match race(kicked(self.live.as_ref()), read).await {
            Either::First(()) => {
                self.over = true;
                self.write(&mut out, self.after, b"", Some(RETRY));
                return Some(out);
            }
            Either::Second(Either::First(read)) => read,
            Either::Second(Either::Second(())) => return Some(comment()),
        };
        let page = match read {
            Ok(Some(page)) => page,
            Ok(None) => {
                self.over = true;
                return None;
            }
            Err(error) => {
                tracing::error!(error = %crate::error::Chain(&error), "a stream cannot be read");
                self.over = true;
                return None;
            }
        };
        for (number, message) in &page.events {
            if *number != self.after + 1 {
                tracing::warn!(stream = self.stream, "events are gone that were not read");
            }
            self.after = *number;
            self.write(&mut out, *number, message, None);
        }
        self.over = page.ended;
        if let Some((stream, _)) = &self.live {
            stream.read.store(self.after, Ordering::Release);
            stream.changed.notify_waiters();
        }
        (!out.is_empty()).then_some(out)
    }

    fn write(&self, out: &mut Vec<u8>, number: u64, data: &[u8], retry: Option<Duration>) {
        let id = format!("{}-{number}", self.stream);
        let event = Event {
            id: Some(&id),
            event: None,
            retry,
            data,
        };
        // The id is of hexadecimal digits.
        let _ = write_event(out, &event);
    }
}

async fn kicked(live: Option<&(Arc<Stream>, u64)>) {
    let Some((stream, before)) = live else {
        return std::future::pending().await;
    };
    let mut kicks = stream.kicks.subscribe();
    // The stream holds the sender.
    let _ = kicks.wait_for(|kicks| kicks > before).await;
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some((stream, _)) = &self.live {
            stream.readers.fetch_sub(1, Ordering::AcqRel);
            stream.changed.notify_waiters();
        }
    }
}
