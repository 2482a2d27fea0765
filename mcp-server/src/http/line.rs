//! [`Line`]: the bounded way from a request's handler to the body of its response.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use mcp_types::sse::{Event, write_event};
use tokio::sync::Notify;

use crate::metrics::Queue;
use crate::outlet::{Outlet, Push};

/// Events that wait to be read, as they are written on the wire.
pub(super) struct Line {
    state: Mutex<State>,
    limit: usize,
    room: Notify,
}

#[derive(Default)]
struct State {
    events: Vec<u8>,
    closed: bool,
    /// Whether the last message is there.
    over: bool,
    reader: Option<Waker>,
}

impl Line {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            limit,
            room: Notify::new(),
        }
    }

    /// Takes all that waits.
    pub(super) fn take(&self) -> Vec<u8> {
        let events = std::mem::take(&mut self.state().events);
        if !events.is_empty() {
            self.room.notify_waiters();
        }
        events
    }

    /// Takes all that waits, and whether nothing follows. Where there is neither, the waker is
    /// called when there is.
    pub(super) fn poll(&self, waker: &Waker) -> (Vec<u8>, bool) {
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
        if !events.is_empty() {
            self.room.notify_waiters();
        }
        (events, over)
    }

    /// Adds the last message, room or not.
    pub(super) fn end(&self, message: &[u8]) {
        let reader = {
            let mut state = self.state();
            if !state.closed {
                // An event without id and name can always be written.
                let _ = write_event(&mut state.events, &Event::data(message));
            }
            state.over = true;
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Whether there is anything to read; the waker is called when there is.
    pub(super) fn is_empty(&self, waker: &Waker) -> bool {
        let mut state = self.state();
        state.reader = Some(waker.clone());
        state.events.is_empty()
    }

    /// Says that nobody reads any more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.events = Vec::new();
        drop(state);
        self.room.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue for Line {
    fn queued_bytes(&self) -> usize {
        self.state().events.len()
    }
}

impl Outlet for Line {
    fn push(&self, message: &[u8]) -> Push {
        let mut state = self.state();
        if state.closed {
            return Push::Closed;
        }
        // A message alone may be larger than the limit, or it would never leave.
        if !state.events.is_empty() && state.events.len() + message.len() > self.limit {
            return Push::Full;
        }
        // An event without id and name can always be written.
        let _ = write_event(&mut state.events, &Event::data(message));
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
        Push::Queued
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
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
