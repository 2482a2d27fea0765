//! [`Stream`]: what a legacy request says, on its way to the event store and to the connection
//! that reads it. The request and the connection do not depend on each other's life.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use mcp_types::{RequestId, Revision};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::event_store::EventStore;
use super::sse_event::{write_numbered, write_prime};
use super::stream_buffer::{Phase, Reads};
use crate::protocol::answer::Answer;
use crate::protocol::error::Chain;
use crate::protocol::message_sink::{MessageSink, TrySend};
use crate::protocol::quota::PeerUsage;
use crate::protocol::session::Session;
use crate::transport::http::session::stream_buffer::StreamBuffer;
use crate::util::select::select;

/// The stream of one POST, or of the announcements of a session.
pub(crate) struct Stream {
    pub(crate) session: Arc<Session>,
    /// Given before events are written.
    id: OnceLock<String>,
    pub(crate) store: Arc<dyn EventStore>,
    /// Whether clients know how to come back to a stream that has said nothing yet.
    pub(crate) primes: bool,
    limit: usize,
    /// The peer for which the bytes of waiting events are counted.
    peer: Arc<PeerUsage>,
    state: Mutex<StreamBuffer>,
    /// All that was said is read and stored, or nobody will read.
    room: Notify,
}

/// What a response becomes.
pub(crate) enum First {
    /// The answer is all there is.
    Answer(Answer),
    /// All is said, and [written at once](Stream::complete).
    Events,
    /// It goes on.
    Stream,
}

/// What a connection that has read up to an event finds.
pub(crate) enum Next {
    /// Events, which were written: the number of the last one, and whether nothing follows it.
    Events(u64, bool),
    /// Events that the store has.
    Stored,
    /// Another connection reads now, or the client is to come back later.
    Kicked,
    /// All was read, and nothing will follow.
    Over,
}

impl Stream {
    pub(crate) fn new(
        session: &Arc<Session>,
        store: &Arc<dyn EventStore>,
        limit: usize,
        peer: &Arc<PeerUsage>,
    ) -> Self {
        Self {
            session: Arc::clone(session),
            id: OnceLock::new(),
            store: Arc::clone(store),
            primes: session.revision >= Revision::V2025_11_25,
            limit,
            peer: Arc::clone(peer),
            state: Mutex::default(),
            room: Notify::new(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, StreamBuffer> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is said, and tells all that wait for it.
    fn change<T>(&self, change: impl FnOnce(&mut StreamBuffer) -> T) -> T {
        let (changed, wakers) = {
            let mut state = self.state();
            let before = state.bytes;
            let changed = change(&mut state);
            self.count(before, state.bytes);
            (changed, state.wakers())
        };
        for waker in wakers.into_iter().flatten() {
            waker.wake();
        }
        changed
    }

    /// Counts the bytes that wait.
    fn count(&self, before: usize, after: usize) {
        match after.checked_sub(before) {
            Some(0) => {}
            Some(more) => self.peer.add_queued_bytes(more),
            None => self.peer.subtract_queued_bytes(before - after),
        }
    }

    /// Changes how far the store or the connection is.
    pub(crate) fn trim(&self, change: impl FnOnce(&mut StreamBuffer)) {
        let room = {
            let mut state = self.state();
            change(&mut state);
            let before = state.bytes;
            state.trim();
            self.count(before, state.bytes);
            state.events.is_empty()
        };
        if room {
            self.room.notify_waiters();
        }
    }

    /// What events are named after; empty before there are any.
    pub(crate) fn id(&self) -> &str {
        self.id.get().map_or("", String::as_str)
    }

    pub(crate) fn session_id(&self) -> &str {
        self.session.id.as_deref().unwrap_or_default()
    }

    /// Nobody will read.
    pub(crate) fn close(&self) {
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
    pub(crate) fn end(&self, answer: Option<Answer>) -> bool {
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

    /// Waits for what decides the form of the response.
    pub(crate) async fn first(&self, patience: Duration) -> First {
        let decided =
            |state: &StreamBuffer| state.over || state.kicks > 0 || !state.events.is_empty();
        if !decided(&self.state()) {
            let decided = poll_fn(|task| {
                let mut state = self.state();
                if decided(&state) {
                    return Poll::Ready(());
                }
                set(&mut state.asker, task);
                Poll::Pending
            });
            // Which of the two it was does not matter: the state says it.
            let _ = Box::pin(select(decided, sleep(patience))).await;
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
    pub(crate) fn name(&self, id: String) {
        // The first one stays.
        let _ = self.id.set(id);
    }

    /// Begins to write events. `true` where the last was said meanwhile, and who calls has to
    /// [finish](Self::finish) the stream.
    pub(crate) async fn begin(&self) -> bool {
        // A session that has ended has nothing in the store any more.
        if let Some(_writing) = self.session.writes.begin()
            && let Err(error) = self.store.open(self.session_id(), self.id()).await
        {
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
    pub(crate) async fn complete(&self) -> Vec<u8> {
        self.begin().await;
        let mut text = Vec::new();
        {
            let state = self.state();
            if self.primes && !state.events.is_empty() {
                text.reserve(state.bytes + (state.events.len() + 1) * 128);
                self.prime(&mut text, 0);
            }
            for (number, event) in state.after(0) {
                write_numbered(&mut text, self.id(), number, event);
            }
        }
        self.finish().await;
        text
    }

    /// Gives a request up.
    pub(crate) fn give_up(&self, id: RequestId) {
        self.change(|state| state.given_up.push(id));
    }

    /// Sends the connections that read away. What is returned is for the next one.
    pub(crate) fn kick(&self) -> u64 {
        self.change(|state| {
            state.kicks += 1;
            state.kicks
        })
    }

    /// Writes what a client that loses the connection comes back with.
    pub(crate) fn prime(&self, out: &mut Vec<u8>, after: u64) {
        write_prime(out, self.id(), after);
    }

    /// A connection comes, to read after an event or, by default, what is said from now on.
    pub(crate) fn attach(&self, kick: u64, after: Option<u64>) -> u64 {
        let mut state = self.state();
        let read = after.unwrap_or_else(|| state.last());
        let waker = None;
        state.attach(Reads { kick, read, waker });
        read
    }

    /// A connection goes.
    pub(crate) fn detach(&self, kick: u64) {
        self.trim(|state| {
            state.reader.take_if(|reader| reader.kick == kick);
        });
    }

    /// A connection got all up to an event.
    pub(crate) fn read(&self, kick: u64, number: u64) {
        self.trim(|state| state.read(kick, number));
    }

    /// What follows an event, for a connection, which it is written for.
    pub(crate) fn poll_next(
        &self,
        out: &mut Vec<u8>,
        kick: u64,
        after: u64,
        task: &mut Context<'_>,
    ) -> Poll<Next> {
        let mut state = self.state();
        if state.kicks > kick {
            return Poll::Ready(Next::Kicked);
        }
        if after < state.left {
            return Poll::Ready(Next::Stored);
        }
        if after < state.last() {
            for (number, event) in state.after(after) {
                write_numbered(out, self.id(), number, event);
            }
            let (last, over) = (state.last(), state.over);
            drop(state);
            self.read(kick, last);
            return Poll::Ready(Next::Events(last, over));
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
}

/// Notes whom to wake.
pub(crate) fn set(slot: &mut Option<Waker>, task: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(task.waker()),
        None => *slot = Some(task.waker().clone()),
    }
}

/// A message without the room that it was written in: the store has it for long.
fn kept(message: Vec<u8>) -> Bytes {
    if message.capacity() / 2 > message.len() {
        return Bytes::copy_from_slice(&message);
    }
    message.into()
}

impl Drop for Stream {
    fn drop(&mut self) {
        let bytes = self.state().bytes;
        self.count(bytes, 0);
    }
}

impl MessageSink for Stream {
    fn try_send(&self, message: &[u8]) -> TrySend {
        self.change(|state| {
            if state.phase == Phase::Closed {
                return TrySend::Closed;
            }
            let size = message.len();
            if !state.events.is_empty()
                && (state.bytes + size > self.limit || !self.peer.may_queue(size))
            {
                return TrySend::Full;
            }
            state.add(Bytes::copy_from_slice(message));
            TrySend::Queued
        })
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            loop {
                let room = self.room.notified();
                tokio::pin!(room);
                // Enabled before the look, so that nothing is missed in between.
                room.as_mut().enable();
                let full = {
                    let state = self.state();
                    state.phase != Phase::Closed && !state.events.is_empty()
                };
                if !full {
                    return;
                }
                room.await;
            }
        })
    }

    fn detach(&self) {
        if self.primes {
            self.kick();
        }
    }
}
