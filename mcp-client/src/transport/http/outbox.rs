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
    messages: VecDeque<Note>,
    bytes: usize,
}

/// A message that is on its way.
pub(super) struct Note {
    pub(super) message: Vec<u8>,
    /// The session that it is for, where no other will do.
    pub(super) session: Option<u64>,
}

impl Outbox {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            added: Notify::new(),
            taken: Notify::new(),
            // One message can always wait.
            limit: limit.max(1),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, note: Note) {
        {
            let mut waiting = self.waiting();
            // No more answers are added than room is made for; calls may be given up at any time.
            if note.session.is_none() && waiting.bytes >= self.limit {
                tracing::warn!("the server takes no messages: it does not hear that a call ended");
                return;
            }
            waiting.bytes += note.message.len();
            waiting.messages.push_back(note);
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

    pub(super) async fn take(&self) -> Note {
        loop {
            if let Some(note) = self.take_now() {
                return note;
            }
            self.added.notified().await;
        }
    }

    pub(super) fn take_now(&self) -> Option<Note> {
        let note = {
            let mut waiting = self.waiting();
            let note = waiting.messages.pop_front()?;
            waiting.bytes -= note.message.len();
            note
        };
        self.taken.notify_waiters();
        Some(note)
    }
}
