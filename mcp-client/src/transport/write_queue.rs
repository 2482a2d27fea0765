//! [`WriteQueue`]: a bounded queue of messages for a server that may read slowly.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::protocol::error::TransportError;

/// Lines in the order in which they were added. The writer takes all of them at once.
pub(crate) struct WriteQueue {
    lines: Mutex<Lines>,
    added: Notify,
    drained: Notify,
    /// The number of queued bytes from which on [`add`](Self::add) waits.
    limit: usize,
}

#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// The number of bytes that were added without waiting.
    urgent: usize,
    closed: bool,
}

impl WriteQueue {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            lines: Mutex::default(),
            added: Notify::new(),
            drained: Notify::new(),
            // One message can always be queued.
            limit: limit.max(1),
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message. Waits while the queue is full.
    pub(crate) async fn add(&self, message: Vec<u8>) -> Result<(), TransportError> {
        loop {
            let drained = self.drained.notified();
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
            drained.await;
        }
        self.added.notify_one();
        Ok(())
    }

    /// Adds a message without waiting.
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

    /// Waits while too many responses are queued, so that the client stops reading from a server that
    /// sends requests without reading the responses.
    pub(crate) async fn ready_to_read(&self) {
        loop {
            let drained = self.drained.notified();
            {
                let lines = self.lines();
                if lines.closed || lines.urgent < self.limit {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Waits for a line, and moves all queued lines into `buffer`. Returns `false` once the queue is
    /// closed and empty.
    pub(crate) async fn take(&self, buffer: &mut Vec<u8>) -> bool {
        buffer.clear();
        loop {
            {
                let mut lines = self.lines();
                if !lines.bytes.is_empty() {
                    std::mem::swap(&mut lines.bytes, buffer);
                    lines.urgent = 0;
                    break;
                }
                if lines.closed {
                    return false;
                }
            }
            self.added.notified().await;
        }
        self.drained.notify_waiters();
        true
    }

    /// Drops all lines and opens the queue again, for a restarted process.
    #[cfg(feature = "process")]
    pub(crate) fn reopen(&self) {
        *self.lines() = Lines::default();
    }

    /// Closes the queue. Queued lines can still be taken; no line can be added.
    pub(crate) fn close(&self) {
        self.lines().closed = true;
        self.added.notify_one();
        self.drained.notify_waiters();
    }
}

impl Lines {
    fn add(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.bytes.push(b'\n');
    }
}
