//! [`WriteQueue`]: a bounded queue of messages for a server that may read slowly.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::protocol::error::TransportError;

/// Lines in the order in which they were added, until a writer takes them all.
pub(crate) struct WriteQueue {
    lines: Mutex<Lines>,
    added: Notify,
    taken: Notify,
    /// Bytes that may wait.
    limit: usize,
}

#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// The bytes that were added without waiting for room.
    urgent: usize,
    closed: bool,
}

impl WriteQueue {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            lines: Mutex::default(),
            added: Notify::new(),
            taken: Notify::new(),
            // One message can always wait.
            limit: limit.max(1),
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message, as soon as there is room.
    pub(crate) async fn add(&self, message: Vec<u8>) -> Result<(), TransportError> {
        loop {
            let taken = self.taken.notified();
            {
                let mut lines = self.lines();
                if lines.closed {
                    return Err(TransportError::Closed);
                }
                if lines.bytes.len() < self.limit {
                    lines.add(&message);
                    break;
                }
            }
            taken.await;
        }
        self.added.notify_one();
        Ok(())
    }

    /// Adds a message at once.
    pub(crate) fn add_now(&self, message: &[u8]) {
        {
            let mut lines = self.lines();
            if lines.closed {
                return;
            }
            lines.urgent += message.len();
            lines.add(message);
        }
        self.added.notify_one();
    }

    /// Waits until the responses to the server leave room, so that a server that sends requests without
    /// reading the responses is not read either.
    pub(crate) async fn heard(&self) {
        loop {
            let taken = self.taken.notified();
            {
                let lines = self.lines();
                if lines.closed || lines.urgent < self.limit {
                    return;
                }
            }
            taken.await;
        }
    }

    /// Waits for a line, and moves all queued lines into `taken`. Returns `false` once the queue is
    /// closed and empty.
    pub(crate) async fn take(&self, taken: &mut Vec<u8>) -> bool {
        taken.clear();
        loop {
            {
                let mut lines = self.lines();
                if !lines.bytes.is_empty() {
                    std::mem::swap(&mut lines.bytes, taken);
                    lines.urgent = 0;
                    break;
                }
                if lines.closed {
                    return false;
                }
            }
            self.added.notified().await;
        }
        self.taken.notify_waiters();
        true
    }

    /// Drops all lines and opens the queue again, for another process.
    #[cfg(feature = "process")]
    pub(crate) fn reopen(&self) {
        *self.lines() = Lines::default();
    }

    /// Closes the queue. Queued lines can still be taken; no line can be added.
    pub(crate) fn close(&self) {
        self.lines().closed = true;
        self.added.notify_one();
        self.taken.notify_waiters();
    }
}

impl Lines {
    fn add(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.bytes.push(b'\n');
    }
}
