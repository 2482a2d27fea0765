//! [`Outbox`]: messages that nobody waits to see sent.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Answers to a server's requests, and the news of calls that were given up.
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    added: Notify,
    taken: Notify,
    /// Bytes that may wait.
    limit: usize,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Outbox {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            added: Notify::new(),
            taken: Notify::new(),
            limit,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, message: Vec<u8>) {
        {
            let mut waiting = self.waiting();
            waiting.bytes += message.len();
            waiting.messages.push_back(message);
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

    pub(super) async fn take(&self) -> Vec<u8> {
        loop {
            if let Some(message) = self.take_now() {
                return message;
            }
            self.added.notified().await;
        }
    }

    pub(super) fn take_now(&self) -> Option<Vec<u8>> {
        let message = {
            let mut waiting = self.waiting();
            let message = waiting.messages.pop_front()?;
            waiting.bytes -= message.len();
            message
        };
        self.taken.notify_waiters();
        Some(message)
    }
}
