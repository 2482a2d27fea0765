//! [`WriteQueue`]: a bounded queue of lines to the peer.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::protocol::message_sink::{MessageSink, TrySend};

/// The maximum capacity that a writer's buffer keeps between two writes, in bytes.
const KEPT: usize = 256 << 10;

/// Lines that wait for the writer. The writer takes all of them at once, so that under load many
/// messages are sent by one write.
pub(crate) struct WriteQueue {
    queue: Mutex<Queue>,
    limit: usize,
    filled: Notify,
    emptied: Notify,
}

#[derive(Default)]
struct Queue {
    lines: Vec<u8>,
    closed: bool,
}

impl WriteQueue {
    /// Creates a queue for up to `limit` bytes, or one longer message.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            queue: Mutex::default(),
            limit,
            filled: Notify::new(),
            emptied: Notify::new(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a response even if the queue is full, and does not notify the writer. For the
    /// reading task, which checks both after each line.
    pub(crate) fn append(&self, message: &[u8]) {
        let mut queue = self.queue();
        if !queue.closed {
            queue.add(message);
        }
    }

    /// Appends a message even if the queue is full, and notifies the writer. For messages that are
    /// in memory anyway.
    pub(crate) fn force_send(&self, message: &[u8]) {
        self.append(message);
        self.filled.notify_one();
    }

    /// Returns the number of bytes that wait for the writer.
    #[cfg(feature = "http")]
    pub(crate) fn queued_bytes(&self) -> usize {
        self.queue().lines.len()
    }

    /// Notifies the writer of appended messages.
    pub(crate) fn notify_writer(&self) {
        if !self.queue().lines.is_empty() {
            self.filled.notify_one();
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.queue().lines.len() >= self.limit
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.queue().closed
    }

    /// Rejects further messages. The writer can still take the queued ones.
    pub(crate) fn close(&self) {
        self.queue().closed = true;
        self.filled.notify_one();
        self.emptied.notify_waiters();
    }

    /// Moves all lines into `into`, which is cleared first. Returns `false` if no line is
    /// queued.
    pub(crate) fn take(&self, into: &mut Vec<u8>) -> bool {
        into.clear();
        into.shrink_to(KEPT);
        {
            let mut queue = self.queue();
            if queue.lines.is_empty() {
                return false;
            }
            std::mem::swap(&mut queue.lines, into);
        }
        self.emptied.notify_waiters();
        true
    }

    /// Waits for lines. Returns `false` if the queue is closed and empty.
    pub(crate) async fn wait_filled(&self) -> bool {
        loop {
            {
                let queue = self.queue();
                if !queue.lines.is_empty() {
                    return true;
                }
                if queue.closed {
                    return false;
                }
            }
            self.filled.notified().await;
        }
    }

    /// Waits until the queue is not full, or is closed.
    pub(crate) async fn wait_capacity(&self) {
        loop {
            let mut emptied = pin!(self.emptied.notified());
            // Enabled before the queue is checked, so that no notification is missed in between.
            emptied.as_mut().enable();
            if !self.is_full() || self.is_closed() {
                return;
            }
            emptied.await;
        }
    }
}

impl Queue {
    fn add(&mut self, message: &[u8]) {
        self.lines.extend_from_slice(message);
        self.lines.push(b'\n');
    }
}

impl MessageSink for WriteQueue {
    fn try_send(&self, message: &[u8]) -> TrySend {
        {
            let mut queue = self.queue();
            if queue.closed {
                return TrySend::Closed;
            }
            if queue.lines.len() >= self.limit {
                return TrySend::Full;
            }
            queue.add(message);
        }
        self.filled.notify_one();
        TrySend::Queued
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.wait_capacity())
    }
}
