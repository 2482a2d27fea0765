//! [`Stream`]: what a legacy request says, on its way to the event store and to the connection
//! that reads it. The request and the connection do not depend on each other's life.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use mcp_types::Revision;
use mcp_types::sse::{Event, write_event};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::events::EventStore;
use super::window::{Phase, Reads, Window};
use crate::engine::Answer;
use crate::error::Chain;
use crate::outlet::{Outlet, Push};
use crate::race::race;
use crate::session::Session;

/// How long a client is asked to wait before it comes back.
const RETRY: Duration = Duration::from_millis(500);

/// The stream of one POST, or of the announcements of a session.
pub(super) struct Stream {
    session: Arc<Session>,
    /// Given before events are written.
    id: OnceLock<String>,
    pub(super) store: Arc<dyn EventStore>,
    /// Whether clients know how to come back to a stream that has said nothing yet.
    pub(super) primes: bool,
    limit: usize,
    state: Mutex<Window>,
    /// Something was said, or nothing will be any more. The connection that reads has a waker of
    /// its own: to wake it for nothing would cost as much as an event.
    changed: Notify,
    /// All that was said is read and stored, or nobody will read.
    room: Notify,
}

/// What a response becomes.
pub(super) enum First {
    /// The answer is all there is.
    Answer(Answer),
    /// All is said, and [written at once](Stream::complete).
    Events,
    /// It goes on.
    Stream,
}

/// What a connection that has read up to an event finds.
pub(super) enum Next {
    /// Events, the first with the number that follows; and whether nothing follows them.
    Events(Vec<Bytes>, bool),
    /// Events that the store has.
    Stored,
    /// Another connection reads now, or the client is to come back later.
    Kicked,
    /// All was read, and nothing will follow.
    Over,
}

impl Stream {
    pub(super) fn new(session: &Arc<Session>, store: &Arc<dyn EventStore>, limit: usize) -> Self {
        Self {
            session: Arc::clone(session),
            id: OnceLock::new(),
            store: Arc::clone(store),
            primes: session.revision >= Revision::V2025_11_25,
            limit,
            state: Mutex::default(),
            changed: Notify::new(),
            room: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, Window> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is said, and tells all that wait for it.
    fn change<T>(&self, change: impl FnOnce(&mut Window) -> T) -> T {
        let (changed, reader) = {
            let mut state = self.state();
            (change(&mut state), state.waker())
        };
        self.changed.notify_waiters();
        if let Some(reader) = reader {
            reader.wake();
        }
        changed
    }

    /// Changes how far the store or the connection is.
    fn trim(&self, change: impl FnOnce(&mut Window)) {
        let room = {
            let mut state = self.state();
            change(&mut state);
            state.trim();
            state.events.is_empty()
        };
        if room {
            self.room.notify_waiters();
        }
    }

    async fn wait<T>(&self, changed: &Notify, mut done: impl FnMut(&Window) -> Option<T>) -> T {
        loop {
            let changed = changed.notified();
            tokio::pin!(changed);
            // Enabled before the look, so that nothing is missed in between.
            changed.as_mut().enable();
            let found = done(&self.state());
            if let Some(found) = found {
                return found;
            }
            changed.await;
        }
    }

    /// What events are named after; empty before there are any.
    pub(super) fn id(&self) -> &str {
        self.id.get().map_or("", String::as_str)
    }

    pub(super) fn session(&self) -> &str {
        self.session.id.as_deref().unwrap_or_default()
    }

    /// Nobody will read.
    pub(super) fn close(&self) {
        {
            let mut state = self.state();
            if state.phase != Phase::Open {
                return;
            }
            state.phase = Phase::Closed;
        }
        self.room.notify_waiters();
    }

    /// Notes that all is said, with an answer or, for a request that was given up, without.
    /// `true` where events are written, and who calls has to [finish](Self::finish) the stream.
    pub(super) fn end(&self, answer: Option<Answer>) -> bool {
        self.change(|state| {
            state.over = true;
            match state.phase {
                Phase::Open => state.answer = answer,
                Phase::Begun => {
                    if let Some(answer) = answer {
                        state.add(kept(answer.message));
                    }
                }
                Phase::Closed => {}
            }
            state.phase == Phase::Begun
        })
    }

    /// Waits until all is said.
    pub(super) async fn ended(&self) {
        self.wait(&self.changed, |state| state.over.then_some(()))
            .await;
    }

    /// Waits for what decides the form of the response.
    pub(super) async fn first(&self, patience: Duration) -> First {
        let decided = |state: &Window| state.over || state.kicks > 0 || !state.events.is_empty();
        if !decided(&self.state()) {
            let decided = self.wait(&self.changed, |state| decided(state).then_some(()));
            // Which of the two it was does not matter: the state says it.
            let _ = race(decided, sleep(patience)).await;
        }
        let mut state = self.state();
        if !state.over {
            return First::Stream;
        }
        if state.events.is_empty()
            && let Some(answer) = state.answer.take()
        {
            return First::Answer(answer);
        }
        First::Events
    }

    /// Gives the name that its events have.
    pub(super) fn name(&self, id: String) {
        // The first one stays.
        let _ = self.id.set(id);
    }

    /// Begins to write events. `true` where the last was said meanwhile, and who calls has to
    /// [finish](Self::finish) the stream.
    pub(super) async fn begin(&self) -> bool {
        if let Err(error) = self.store.open(self.session(), self.id()).await {
            tracing::error!(error = %Chain(&error), "a stream cannot be kept");
        }
        self.change(|state| {
            state.phase = Phase::Begun;
            if let Some(answer) = state.answer.take() {
                state.add(kept(answer.message));
            }
            state.over
        })
    }

    /// All events of a stream where all is said, which a client can come back for like for others.
    pub(super) async fn complete(&self) -> Vec<u8> {
        self.begin().await;
        let said: Vec<Bytes> = self.state().events.iter().cloned().collect();
        let mut text = Vec::new();
        if self.primes && !said.is_empty() {
            let bytes: usize = said.iter().map(Bytes::len).sum();
            text.reserve(bytes + (said.len() + 1) * 64);
            self.prime(&mut text, 0);
        }
        self.write(&mut text, 0, &said);
        self.finish().await;
        text
    }

    /// Moves what is said to the store, for ever. Safe to drop.
    pub(super) async fn pump(&self) {
        loop {
            self.wait(&self.changed, |state| {
                let waits = state.phase == Phase::Begun && state.stored < state.last();
                waits.then_some(())
            })
            .await;
            self.step().await;
        }
    }

    /// Moves the rest to the store, and ends the stream there.
    pub(super) async fn finish(&self) {
        while self.step().await {}
        let number = self.state().last() + 1;
        self.append(number, None).await;
    }

    /// Moves one event to the store; `false` where there is none.
    async fn step(&self) -> bool {
        let next = {
            let state = self.state();
            let at = usize::try_from(state.stored - state.left).unwrap_or(usize::MAX);
            let message = state.events.get(at).cloned();
            message.map(|message| (state.stored + 1, message))
        };
        let Some((number, message)) = next else {
            return false;
        };
        self.append(number, Some(message)).await;
        self.trim(|state| state.stored = number);
        true
    }

    async fn append(&self, number: u64, message: Option<Bytes>) {
        let kept = self
            .store
            .append(self.session(), self.id(), number, message);
        if let Err(error) = kept.await {
            tracing::error!(error = %Chain(&error), "an event cannot be kept");
        }
    }

    /// Sends the connections that read away. What is returned is for the next one.
    pub(super) fn kick(&self) -> u64 {
        self.change(|state| {
            state.kicks += 1;
            state.kicks
        })
    }

    /// A connection comes, to read after an event or, by default, what is said from now on.
    pub(super) fn attach(&self, kick: u64, after: Option<u64>) -> u64 {
        let mut state = self.state();
        let read = after.unwrap_or_else(|| state.last());
        let waker = None;
        state.attach(Reads { kick, read, waker });
        read
    }

    /// A connection goes.
    pub(super) fn detach(&self, kick: u64) {
        self.trim(|state| {
            state.reader.take_if(|reader| reader.kick == kick);
        });
    }

    /// A connection got all up to an event.
    pub(super) fn read(&self, kick: u64, number: u64) {
        self.trim(|state| {
            if let Some(reader) = state.reader.as_mut().filter(|reader| reader.kick == kick) {
                reader.read = number;
            }
        });
    }

    /// What follows an event, for a connection.
    pub(super) fn poll_next(&self, kick: u64, after: u64, task: &mut Context<'_>) -> Poll<Next> {
        let mut state = self.state();
        if state.kicks > kick {
            return Poll::Ready(Next::Kicked);
        }
        if after < state.left {
            return Poll::Ready(Next::Stored);
        }
        if after < state.last() {
            let read = usize::try_from(after - state.left).unwrap_or(usize::MAX);
            let events = state.events.iter().skip(read).cloned().collect();
            return Poll::Ready(Next::Events(events, state.over));
        }
        if state.over {
            return Poll::Ready(Next::Over);
        }
        state.attach(Reads {
            kick,
            read: after,
            waker: Some(task.waker().clone()),
        });
        Poll::Pending
    }

    /// Writes what a client that loses the connection comes back with.
    pub(super) fn prime(&self, out: &mut Vec<u8>, after: u64) {
        write_numbered(out, self.id(), after, b"", Some(RETRY));
    }

    /// Writes the events that follow another.
    pub(super) fn write(&self, out: &mut Vec<u8>, after: u64, events: &[Bytes]) {
        for (number, event) in (after + 1..).zip(events) {
            write_numbered(out, self.id(), number, event, None);
        }
    }
}

/// A message without the room that it was written in: the store has it for long.
fn kept(message: Vec<u8>) -> Bytes {
    if message.capacity() / 2 > message.len() {
        return Bytes::copy_from_slice(&message);
    }
    message.into()
}

/// Writes an event with its number in a stream.
pub(super) fn write_numbered(
    out: &mut Vec<u8>,
    stream: &str,
    number: u64,
    data: &[u8],
    retry: Option<Duration>,
) {
    // The name is one of ours or was found in the store: it can be written.
    out.reserve(stream.len() + data.len() + 64);
    out.extend_from_slice(b"id: ");
    out.extend_from_slice(stream.as_bytes());
    out.push(b'-');
    write_number(out, number);
    out.push(b'\n');
    let event = Event {
        retry,
        ..Event::data(data)
    };
    // Nothing is left in it that could not be written.
    let _ = write_event(out, &event);
}

/// Writes a number in decimal digits.
fn write_number(out: &mut Vec<u8>, number: u64) {
    let start = out.len();
    let mut rest = number;
    loop {
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

impl Outlet for Stream {
    fn push(&self, message: &[u8]) -> Push {
        self.change(|state| {
            if state.phase == Phase::Closed {
                return Push::Closed;
            }
            if !state.events.is_empty() && state.bytes + message.len() > self.limit {
                return Push::Full;
            }
            state.add(Bytes::copy_from_slice(message));
            Push::Queued
        })
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.wait(&self.room, |state| {
            let room = state.phase == Phase::Closed || state.events.is_empty();
            room.then_some(())
        }))
    }

    fn detach(&self) {
        if self.primes {
            self.kick();
        }
    }
}
