//! [`SseQueue`]: the bounded way from a request's handler to the body of its response.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use mcp_types::sse::{Event, write_event};
use tokio::sync::Notify;

use crate::protocol::message_sink::{MessageSink, TrySend};
use crate::protocol::quota::PeerUsage;

/// Events that wait to be read, as they are written on the wire.
pub(crate) struct SseQueue {
    state: Mutex<QueueState>,
    limit: usize,
    /// Whose events these are.
    peer: Arc<PeerUsage>,
    room: Notify,
}

#[derive(Default)]
struct QueueState {
    /// As many bytes are counted for the peer.
    events: Vec<u8>,
    closed: bool,
    /// Whether the last message is there.
    over: bool,
    reader: Option<Waker>,
}

impl SseQueue {
    pub(crate) fn new(limit: usize, peer: Arc<PeerUsage>) -> Self {
        Self {
            state: Mutex::default(),
            limit,
            peer,
            room: Notify::new(),
        }
    }

    /// Takes all that waits.
    pub(crate) fn take(&self) -> Vec<u8> {
        let events = std::mem::take(&mut self.state().events);
        self.left(&events);
        events
    }

    /// Takes all that waits, and whether nothing follows. Where there is neither, the waker is
    /// called when there is.
    pub(crate) fn poll(&self, waker: &Waker) -> (Vec<u8>, bool) {
        let mut state = self.state();
        let events = std::mem::take(&mut state.events);
        let over = state.over;
        if events.is_empty() && !over {
            match &mut state.reader {
                Some(reader) => reader.clone_from(waker),
                None => state.reader = Some(waker.clone()),
            }
        }
        drop(state);
        self.left(&events);
        (events, over)
    }

    /// Makes room for others where events have left.
    fn left(&self, events: &[u8]) {
        if !events.is_empty() {
            self.peer.subtract_queued_bytes(events.len());
            self.room.notify_waiters();
        }
    }

    /// Writes an event, and counts its bytes.
    fn add(&self, state: &mut QueueState, message: &[u8]) {
        let before = state.events.len();
        // An event without id and name can always be written.
        let _ = write_event(&mut state.events, &Event::data(message));
        self.peer.add_queued_bytes(state.events.len() - before);
    }

    /// Adds the last message, room or not.
    pub(crate) fn end(&self, message: &[u8]) {
        let reader = {
            let mut state = self.state();
            if !state.closed {
                self.add(&mut state, message);
            }
            state.over = true;
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Whether there is anything to read; the waker is called when there is.
    pub(crate) fn is_empty(&self, waker: &Waker) -> bool {
        let mut state = self.state();
        state.reader = Some(waker.clone());
        state.events.is_empty()
    }

    /// Says that nobody reads any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let events = std::mem::take(&mut state.events);
        drop(state);
        self.left(&events);
        self.room.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SseQueue {
    fn drop(&mut self) {
        self.take();
    }
}

impl MessageSink for SseQueue {
    fn try_send(&self, message: &[u8]) -> TrySend {
        let mut state = self.state();
        if state.closed {
            return TrySend::Closed;
        }
        // A message alone may be larger than the limit, or it would never leave.
        if !state.events.is_empty()
            && (state.events.len() + message.len() > self.limit
                || !self.peer.may_queue(message.len()))
        {
            return TrySend::Full;
        }
        self.add(&mut state, message);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
        TrySend::Queued
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let told = self.room.notified();
            tokio::pin!(told);
            // Enabled before the state is read, so that nothing is missed in between.
            told.as_mut().enable();
            let full = {
                let state = self.state();
                !state.closed && !state.events.is_empty()
            };
            if full {
                told.await;
            }
        })
    }
}
