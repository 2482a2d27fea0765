//! [`Notes`]: progress and log messages of a call whose request another process has.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::protocol::message::message_sink::{MessageSink, TrySend};

/// The maximum size of the messages that wait until the other process has read those before them,
/// in bytes.
const MOST_BYTES: usize = 64 << 10;

/// The messages that a call sends in a round, until they are stored for the other process.
#[derive(Default)]
pub(super) struct Notes {
    waiting: Mutex<WaitingNotes>,
    added: Notify,
}

#[derive(Default)]
struct WaitingNotes {
    batch: NoteBatch,
    bytes: usize,
    is_full: bool,
}

/// Messages in their order.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct NoteBatch {
    /// The number of messages of the round before the first one, so that a message that is stored
    /// twice is sent once.
    first: u64,
    messages: Vec<String>,
}

impl Notes {
    fn waiting(&self) -> MutexGuard<'_, WaitingNotes> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there are messages. Returns a copy of them.
    pub(super) async fn some(&self) -> NoteBatch {
        loop {
            let batch = self.all();
            if !batch.messages.is_empty() {
                return batch;
            }
            self.added.notified().await;
        }
    }

    /// Returns a copy of the messages that wait.
    pub(super) fn all(&self) -> NoteBatch {
        self.waiting().batch.clone()
    }

    /// Removes messages that are stored.
    pub(super) fn remove(&self, stored: &NoteBatch) {
        let mut waiting = self.waiting();
        let removed = waiting.batch.messages.drain(..stored.messages.len());
        let bytes: usize = removed.map(|message| message.len()).sum();
        waiting.bytes -= bytes;
        waiting.batch.first += stored.messages.len() as u64;
        waiting.is_full = false;
    }
}

impl MessageSink for Notes {
    fn try_send(&self, message: &[u8]) -> TrySend {
        let mut waiting = self.waiting();
        if waiting.bytes + message.len() > MOST_BYTES {
            if !std::mem::replace(&mut waiting.is_full, true) {
                tracing::warn!(
                    "messages of a call are dropped: the process that has its request reads too slowly"
                );
            }
            return TrySend::Queued;
        }
        waiting.bytes += message.len();
        let message = String::from_utf8_lossy(message).into_owned();
        waiting.batch.messages.push(message);
        drop(waiting);
        self.added.notify_one();
        TrySend::Queued
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

impl NoteBatch {
    /// Returns the messages from the one with the number `next` on, and sets `next` behind the last.
    pub(super) fn after(self, next: &mut u64) -> Vec<String> {
        let known = usize::try_from(next.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let last = self.first.saturating_add(self.messages.len() as u64);
        *next = last.max(*next);
        self.messages.into_iter().skip(known).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_bounded_and_each_is_sent_once() {
        let notes = Notes::default();
        let large = "x".repeat(MOST_BYTES / 2);
        for message in ["a", &large, &large, "b"] {
            assert!(matches!(
                notes.try_send(message.as_bytes()),
                TrySend::Queued
            ));
        }
        let (first, mut next) = (notes.all(), 0);
        assert_eq!(first.clone().after(&mut next), ["a", &large, "b"]);
        // Stored, but not removed yet.
        assert!(notes.all().after(&mut next).is_empty());
        notes.remove(&first);
        assert!(matches!(notes.try_send(large.as_bytes()), TrySend::Queued));
        assert!(matches!(notes.try_send(b"c"), TrySend::Queued));
        assert_eq!(notes.all().after(&mut next), [&*large, "c"]);
    }
}
