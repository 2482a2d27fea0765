//! [`PostQueue`]: messages that nobody waits to see sent.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Answers to a server's requests, and the news of calls that were given up.
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

/// A message that is on its way.
pub(super) struct QueuedPost {
    pub(super) message: Vec<u8>,
    /// The session that it is for, where no other will do.
    pub(super) session: Option<u64>,
}

impl PostQueue {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            added: Notify::new(),
            taken: Notify::new(),
            // One message can always wait.
            limit: limit.max(1),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, QueuedPosts> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, post: QueuedPost) {
        {
            let mut waiting = self.waiting();
            // No more answers are added than room is made for; calls may be given up at any time.
            if post.session.is_none() && waiting.bytes >= self.limit {
                tracing::warn!("the server takes no messages: it does not hear that a call ended");
                return;
            }
            waiting.bytes += post.message.len();
            waiting.messages.push_back(post);
        }
        self.added.notify_one();
    }

    /// Waits until a server that does not take answers may ask for more.
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
