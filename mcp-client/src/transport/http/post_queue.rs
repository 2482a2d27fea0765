//! [`PostQueue`]: messages that a background task posts.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Responses to requests of the server, and cancellations of calls.
pub(super) struct PostQueue {
    queued: Mutex<QueuedPosts>,
    added: Notify,
    drained: Notify,
    /// The number of queued bytes from which on [`ready`](Self::ready) waits.
    limit: usize,
}

#[derive(Default)]
struct QueuedPosts {
    messages: VecDeque<QueuedPost>,
    bytes: usize,
}

/// A queued message.
pub(super) struct QueuedPost {
    pub(super) message: Vec<u8>,
    /// The session to which it belongs; absent if it may be sent in any.
    pub(super) session: Option<u64>,
}

impl PostQueue {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            queued: Mutex::default(),
            added: Notify::new(),
            drained: Notify::new(),
            // One message can always be queued.
            limit: limit.max(1),
        }
    }

    fn queued(&self) -> MutexGuard<'_, QueuedPosts> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, post: QueuedPost) {
        {
            let mut queued = self.queued();
            // `ready` bounds the responses. Cancellations are not bounded, so they are dropped.
            if post.session.is_none() && queued.bytes >= self.limit {
                tracing::warn!("a cancellation is dropped: the server does not accept messages");
                return;
            }
            queued.bytes += post.message.len();
            queued.messages.push_back(post);
        }
        self.added.notify_one();
    }

    /// Waits while the queue is full, so that the client stops reading from a server that sends
    /// requests without accepting the responses.
    pub(super) async fn ready(&self) {
        loop {
            let drained = self.drained.notified();
            if self.queued().bytes < self.limit {
                return;
            }
            drained.await;
        }
    }

    pub(super) async fn take(&self) -> QueuedPost {
        loop {
            if let Some(post) = self.take_now() {
                return post;
            }
            self.added.notified().await;
        }
    }

    pub(super) fn take_now(&self) -> Option<QueuedPost> {
        let post = {
            let mut queued = self.queued();
            let post = queued.messages.pop_front()?;
            queued.bytes -= post.message.len();
            post
        };
        self.drained.notify_waiters();
        Some(post)
    }
}
