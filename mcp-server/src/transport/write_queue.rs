//! [`WriteQueue`]: whole lines on their way to the peer, in order and bounded.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::protocol::message_sink::{MessageSink, TrySend};

/// What a writer's buffer may keep between two writes.
const KEPT: usize = 256 << 10;

/// Lines that wait for the writer, who takes all of them at once: under load many answers leave
/// in one write.
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
    /// Holds up to `limit` bytes, or one message that is longer.
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

    /// Adds the reader's own answer, room or not, and tells no writer: the reader sees to both
    /// after the line.
    pub(crate) fn append(&self, message: &[u8]) {
        let mut queue = self.queue();
        if !queue.closed {
            queue.add(message);
        }
    }

    /// Adds what cannot wait: it was held in memory before as well.
    pub(crate) fn push_anyway(&self, message: &[u8]) {
        self.append(message);
        self.filled.notify_one();
    }

    /// How many bytes wait for the writer.
    #[cfg(feature = "http")]
    pub(crate) fn queued_bytes(&self) -> usize {
        self.queue().lines.len()
    }

    /// Tells the writer of what was appended.
    pub(crate) fn announce(&self) {
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

    /// Takes no more messages. Those that are here can still be taken out.
    pub(crate) fn close(&self) {
        self.queue().closed = true;
        self.filled.notify_one();
        self.emptied.notify_waiters();
    }

    /// Takes all lines, in exchange for the empty buffer `into`. `false` where there are none.
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

    /// Waits for lines. `false` where there will be none any more.
    pub(crate) async fn filled(&self) -> bool {
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

    /// Waits until there is room, or nothing is taken any more.
    pub(crate) async fn has_room(&self) {
        loop {
            let mut emptied = pin!(self.emptied.notified());
            // Enabled before the queue is looked at, so that nothing is missed in between.
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
        Box::pin(self.has_room())
    }
}
