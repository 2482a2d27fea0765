//! [`PostQueue`]: messages that a background task posts.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Responses to requests of the server, and cancellations of calls.
pub(super) struct PostQueue {
    waiting: Mutex<QueuedPosts>,
    added: Notify,
    taken: Notify,
    /// Bytes that may wait.
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
    /// The session that it belongs to; absent if it may be sent in any.
    pub(super) session: Option<u64>,
}

impl PostQueue {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            added: Notify::new(),
            taken: Notify::new(),
            // One message can always be queued.
            limit: limit.max(1),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, QueuedPosts> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, post: QueuedPost) {
        {
            let mut waiting = self.waiting();
            // Responses are bounded by `room`; cancellations are not, so they are dropped here.
            if post.session.is_none() && waiting.bytes >= self.limit {
                tracing::warn!("the server takes no messages: it does not hear that a call ended");
                return;
            }
            waiting.bytes += post.message.len();
            waiting.messages.push_back(post);
        }
        self.added.notify_one();
    }

    /// Waits until there is room, so that a server that sends requests without accepting the responses
    /// is not read either.
    pub(super) async fn room(&self) {
        loop {
            let taken = self.taken.notified();
            if self.waiting().bytes < self.limit {
                return;
            }
            taken.await;
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
            let mut waiting = self.waiting();
            let post = waiting.messages.pop_front()?;
            waiting.bytes -= post.message.len();
            post
        };
        self.taken.notify_waiters();
        Some(post)
    }
}
