//! [`WriteQueue`]: a bounded queue of lines to the peer.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The maximum capacity that a writer's buffer keeps between two writes, in bytes.
const KEPT: usize = 256 << 10;

/// The result of [`WriteQueue::try_send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrySend {
    /// The message was queued.
    Queued,
    /// The queue is full: wait until it is not, and try again.
    Full,
    /// The peer has disconnected.
    Closed,
}

/// Lines that wait for the writer. The writer takes all of them at once, so that under load many
/// messages are sent by one write.
pub struct WriteQueue {
    queue: Mutex<Queue>,
    limit: usize,
    filled: Notify,
    emptied: Notify,
}

#[derive(Default)]
struct Queue {
    lines: Vec<u8>,
    /// The bytes of messages that were appended regardless of the limit.
    forced: usize,
    closed: bool,
}

impl WriteQueue {
    /// Creates a queue for up to `limit` bytes, or one longer message.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            queue: Mutex::default(),
            // One message can always be queued.
            limit: limit.max(1),
            filled: Notify::new(),
            emptied: Notify::new(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a message unless the queue is full or closed, and notifies the writer.
    pub fn try_send(&self, message: &[u8]) -> TrySend {
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

    /// Appends a message, and waits while the queue is full. Returns `false` if it is closed.
    pub async fn send(&self, message: &[u8]) -> bool {
        loop {
            match self.try_send(message) {
                TrySend::Queued => return true,
                TrySend::Closed => return false,
                TrySend::Full => self.wait_capacity().await,
            }
        }
    }

    /// Appends a message even if the queue is full, and notifies the writer. For messages that are
    /// in memory anyway, or whose number is bounded.
    pub fn force_send(&self, message: &[u8]) {
        self.append(message);
        self.filled.notify_one();
    }

    /// Appends a message even if the queue is full, and does not notify the writer. For the reading
    /// task, which checks both after each line.
    pub fn append(&self, message: &[u8]) {
        let mut queue = self.queue();
        if !queue.closed {
            queue.forced += message.len();
            queue.add(message);
        }
    }

    /// Notifies the writer of appended messages.
    pub fn notify_writer(&self) {
        if !self.queue().lines.is_empty() {
            self.filled.notify_one();
        }
    }

    /// Returns the number of bytes that wait for the writer.
    pub fn queued_bytes(&self) -> usize {
        self.queue().lines.len()
    }

    /// Returns `true` if [`try_send`](Self::try_send) accepts no message now.
    pub fn is_full(&self) -> bool {
        self.queued_bytes() >= self.limit
    }

    /// Returns `true` once [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.queue().closed
    }

    /// Rejects further messages. The writer can still take the queued ones.
    pub fn close(&self) {
        self.queue().closed = true;
        self.filled.notify_one();
        self.emptied.notify_waiters();
    }

    /// Drops all lines and accepts messages again, for a new connection.
    pub fn reopen(&self) {
        *self.queue() = Queue::default();
    }

    /// Moves all lines into `into`, which is cleared first. Returns `false` if no line is queued.
    pub fn take(&self, into: &mut Vec<u8>) -> bool {
        self.try_take(into) == Some(true)
    }

    /// Waits for lines and moves all of them into `into`, which is cleared first. Returns `false`
    /// if the queue is closed and empty.
    pub async fn next(&self, into: &mut Vec<u8>) -> bool {
        loop {
            if let Some(taken) = self.try_take(into) {
                return taken;
            }
            self.filled.notified().await;
        }
    }

    /// As [`take`](Self::take), but returns `None` if no line is queued and the queue is open.
    fn try_take(&self, into: &mut Vec<u8>) -> Option<bool> {
        into.clear();
        into.shrink_to(KEPT);
        {
            let mut queue = self.queue();
            if queue.lines.is_empty() {
                return queue.closed.then_some(false);
            }
            std::mem::swap(&mut queue.lines, into);
            queue.forced = 0;
        }
        self.emptied.notify_waiters();
        Some(true)
    }

    /// Waits for lines. Returns `false` if the queue is closed and empty.
    pub async fn wait_filled(&self) -> bool {
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
    pub async fn wait_capacity(&self) {
        self.wait_emptied(|queue| queue.lines.len() < self.limit)
            .await;
    }

    /// Waits until fewer bytes than the limit were appended regardless of it, or the queue is
    /// closed.
    ///
    /// For an end of the connection that must go on reading while its own requests fill the queue,
    /// and must stop when the peer sends requests without reading the responses.
    pub async fn wait_forced_capacity(&self) {
        self.wait_emptied(|queue| queue.forced < self.limit).await;
    }

    async fn wait_emptied(&self, has_capacity: impl Fn(&Queue) -> bool) {
        loop {
            // Created before the queue is checked, so that no notification is missed in between.
            let emptied = self.emptied.notified();
            {
                let queue = self.queue();
                if queue.closed || has_capacity(&queue) {
                    return;
                }
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

impl fmt::Debug for WriteQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteQueue")
            .field("queued_bytes", &self.queued_bytes())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Polls a future once.
    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn taken(queue: &WriteQueue) -> Option<String> {
        let mut lines = Vec::new();
        let text = |lines| String::from_utf8(lines).expect("messages are text");
        queue.take(&mut lines).then(|| text(lines))
    }

    #[test]
    fn messages_are_taken_as_lines_in_their_order() {
        let queue = WriteQueue::new(100);
        assert_eq!(taken(&queue), None);
        assert_eq!(queue.try_send(b"1"), TrySend::Queued);
        queue.append(b"2");
        queue.force_send(b"3");
        assert_eq!(queue.queued_bytes(), 6);
        assert_eq!(taken(&queue).as_deref(), Some("1\n2\n3\n"));
        assert_eq!(taken(&queue), None);
    }

    #[test]
    fn full_queue_accepts_a_message_again_when_its_lines_are_taken() {
        let queue = WriteQueue::new(4);
        // The last message may exceed the limit.
        assert_eq!(queue.try_send(b"longer"), TrySend::Queued);
        assert!(queue.is_full());
        assert_eq!(queue.try_send(b"more"), TrySend::Full);
        let mut sending = pin!(queue.send(b"more"));
        let mut capacity = pin!(queue.wait_capacity());
        assert_eq!(poll(sending.as_mut()), Poll::Pending);
        assert_eq!(poll(capacity.as_mut()), Poll::Pending);

        assert_eq!(taken(&queue).as_deref(), Some("longer\n"));
        assert_eq!(poll(capacity), Poll::Ready(()));
        assert_eq!(poll(sending), Poll::Ready(true));
        assert_eq!(taken(&queue).as_deref(), Some("more\n"));
    }

    #[test]
    fn queue_with_limit_zero_accepts_one_message() {
        let queue = WriteQueue::new(0);
        assert_eq!(queue.try_send(b"1"), TrySend::Queued);
        assert_eq!(queue.try_send(b"2"), TrySend::Full);
    }

    #[test]
    fn only_forced_messages_use_up_the_forced_capacity() {
        let queue = WriteQueue::new(4);
        assert_eq!(queue.try_send(b"full!"), TrySend::Queued);
        assert_eq!(poll(pin!(queue.wait_forced_capacity())), Poll::Ready(()));
        queue.force_send(b"12");
        assert_eq!(poll(pin!(queue.wait_forced_capacity())), Poll::Ready(()));
        queue.append(b"34");
        let mut capacity = pin!(queue.wait_forced_capacity());
        assert_eq!(poll(capacity.as_mut()), Poll::Pending);

        assert_eq!(taken(&queue).as_deref(), Some("full!\n12\n34\n"));
        assert_eq!(poll(capacity), Poll::Ready(()));
    }

    #[test]
    fn writer_is_notified_of_all_but_appended_messages() {
        let queue = WriteQueue::new(100);
        let mut lines = Vec::new();
        {
            let mut next = pin!(queue.next(&mut lines));
            assert_eq!(poll(next.as_mut()), Poll::Pending);
            queue.append(b"1");
            assert_eq!(poll(next.as_mut()), Poll::Pending);
            queue.notify_writer();
            assert_eq!(poll(next), Poll::Ready(true));
        }
        assert_eq!(lines, b"1\n");
        for send in [
            |queue: &WriteQueue| queue.force_send(b"2"),
            |queue: &WriteQueue| assert_eq!(queue.try_send(b"2"), TrySend::Queued),
        ] {
            let mut filled = pin!(queue.wait_filled());
            assert_eq!(poll(filled.as_mut()), Poll::Pending);
            send(&queue);
            assert_eq!(poll(filled), Poll::Ready(true));
            assert_eq!(taken(&queue).as_deref(), Some("2\n"));
        }
    }

    #[test]
    fn closed_queue_yields_its_lines_and_wakes_all_tasks() {
        let queue = WriteQueue::new(1);
        assert_eq!(queue.try_send(b"last"), TrySend::Queued);
        let mut capacity = pin!(queue.wait_capacity());
        let mut sending = pin!(queue.send(b"waits"));
        assert_eq!(poll(capacity.as_mut()), Poll::Pending);
        assert_eq!(poll(sending.as_mut()), Poll::Pending);
        queue.close();
        assert!(queue.is_closed());
        assert_eq!(poll(capacity), Poll::Ready(()));
        assert_eq!(poll(sending), Poll::Ready(false));
        assert_eq!(queue.try_send(b"late"), TrySend::Closed);
        queue.append(b"late");
        queue.force_send(b"late");

        let mut lines = Vec::new();
        assert_eq!(poll(pin!(queue.wait_filled())), Poll::Ready(true));
        assert_eq!(poll(pin!(queue.next(&mut lines))), Poll::Ready(true));
        assert_eq!(lines, b"last\n");
        assert_eq!(poll(pin!(queue.wait_filled())), Poll::Ready(false));
        assert_eq!(poll(pin!(queue.next(&mut lines))), Poll::Ready(false));
        assert_eq!(lines, b"");
    }

    #[test]
    fn close_wakes_a_waiting_writer() {
        let queue = WriteQueue::new(1);
        let mut filled = pin!(queue.wait_filled());
        assert_eq!(poll(filled.as_mut()), Poll::Pending);
        queue.close();
        assert_eq!(poll(filled), Poll::Ready(false));
    }

    #[test]
    fn reopened_queue_has_no_lines_and_accepts_messages() {
        let queue = WriteQueue::new(100);
        queue.force_send(b"old");
        queue.close();
        queue.reopen();
        assert_eq!(taken(&queue), None);
        assert_eq!(queue.try_send(b"new"), TrySend::Queued);
        assert_eq!(taken(&queue).as_deref(), Some("new\n"));
    }

    #[test]
    fn buffer_of_a_large_write_is_not_kept() {
        let queue = WriteQueue::new(100);
        queue.force_send(&vec![b'x'; 2 * KEPT]);
        let mut lines = Vec::new();
        assert!(queue.take(&mut lines));
        assert!(!queue.take(&mut lines));
        assert!(lines.capacity() <= KEPT);
    }
}
