//! [`SseQueue`]: a bounded queue from the handler of a request to the body of its response.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Waker;

use mcp_types::sse::{Event, write_event};
use tokio::sync::Notify;

use crate::protocol::message::{MessageSink, TrySend};
use crate::protocol::quota::PeerUsage;
use crate::util::lock::lock;

/// A queue of encoded events.
pub(crate) struct SseQueue {
    state: Mutex<QueueState>,
    limit: usize,
    /// The peer for which queued bytes are counted.
    peer: Arc<PeerUsage>,
    capacity: Notify,
}

#[derive(Default)]
struct QueueState {
    /// The encoded events. Their bytes are counted for the peer.
    events: Vec<u8>,
    closed: bool,
    /// Whether the final message was queued.
    ended: bool,
    reader: Option<Waker>,
}

impl SseQueue {
    pub(crate) fn new(limit: usize, peer: Arc<PeerUsage>) -> Self {
        Self {
            state: Mutex::default(),
            limit,
            peer,
            capacity: Notify::new(),
        }
    }

    /// Removes and returns all events.
    pub(crate) fn take(&self) -> Vec<u8> {
        let events = std::mem::take(&mut lock(&self.state).events);
        self.release(&events);
        events
    }

    /// Removes and returns all events, and whether the queue has ended. If there are no events and
    /// it has not ended, registers the waker.
    pub(crate) fn poll(&self, waker: &Waker) -> (Vec<u8>, bool) {
        let mut state = lock(&self.state);
        let events = std::mem::take(&mut state.events);
        let ended = state.ended;
        if events.is_empty() && !ended {
            match &mut state.reader {
                Some(reader) => reader.clone_from(waker),
                None => state.reader = Some(waker.clone()),
            }
        }
        drop(state);
        self.release(&events);
        (events, ended)
    }

    /// Subtracts removed events from the peer's usage, and wakes senders.
    fn release(&self, events: &[u8]) {
        if !events.is_empty() {
            self.peer.subtract_queued_bytes(events.len());
            self.capacity.notify_waiters();
        }
    }

    /// Encodes an event, and counts its bytes.
    fn add(&self, state: &mut QueueState, message: &[u8]) {
        let before = state.events.len();
        // Encoding an event without id and name does not fail.
        let _ = write_event(&mut state.events, &Event::data(message));
        self.peer.add_queued_bytes(state.events.len() - before);
    }

    /// Adds the final message, even if the queue is full.
    pub(crate) fn end(&self, message: &[u8]) {
        let reader = {
            let mut state = lock(&self.state);
            if !state.closed {
                self.add(&mut state, message);
            }
            state.ended = true;
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Returns `true` if there are no events. Registers the waker.
    pub(crate) fn is_empty(&self, waker: &Waker) -> bool {
        let mut state = lock(&self.state);
        state.reader = Some(waker.clone());
        state.events.is_empty()
    }

    /// Closes the queue, because its reader was dropped.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        let events = std::mem::take(&mut state.events);
        drop(state);
        self.release(&events);
        self.capacity.notify_waiters();
    }
}

impl Drop for SseQueue {
    fn drop(&mut self) {
        self.take();
    }
}

impl MessageSink for SseQueue {
    fn try_send(&self, message: &[u8]) -> TrySend {
        let mut state = lock(&self.state);
        if state.closed {
            return TrySend::Closed;
        }
        // A single message may exceed the limit, otherwise it could never be sent.
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
            let notified = self.capacity.notified();
            tokio::pin!(notified);
            // Enabled before the state is read, so that no notification is missed in between.
            notified.as_mut().enable();
            let full = {
                let state = lock(&self.state);
                !state.closed && !state.events.is_empty()
            };
            if full {
                notified.await;
            }
        })
    }
}
