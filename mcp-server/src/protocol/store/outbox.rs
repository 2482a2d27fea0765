//! [`Outbox`]: the changes of this process that have not been published yet.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tokio::sync::Notify;

use super::message::{AnyChange, BusMessage};
use crate::protocol::changes::{Announced, Change, ChangeParams, add_pending, params_bytes};
use crate::util::lock::lock;

/// The maximum number of changes that wait.
const MOST: usize = 10_000;
/// The maximum size of the URIs and params that wait, in bytes.
const MOST_BYTES: usize = 1 << 20;
/// The maximum number of changes of one message.
const AT_ONCE: usize = 256;
/// The maximum size of the URIs and params of one message in bytes, unless it has a single change.
const BYTES_AT_ONCE: usize = 64 << 10;

/// The changes that wait to be published. Each is stored once. If there are too many, because the
/// bus fails for long, they are replaced by a message that anything may have changed.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: Mutex<WaitingChanges>,
    added: Notify,
}

#[derive(Default)]
struct WaitingChanges {
    changes: BTreeMap<Change, ChangeParams>,
    bytes: usize,
    is_everything: bool,
}

impl Outbox {
    /// Adds a change.
    pub(crate) fn add(&self, announced: impl Into<Announced>) {
        let Announced { change, params, .. } = announced.into();
        {
            let mut waiting = lock(&self.waiting);
            if waiting.is_everything {
                return;
            }
            let (uri, added) = (uri_bytes(&change), params_bytes(&params));
            match add_pending(&mut waiting.changes, change, params) {
                None => waiting.bytes += uri + added,
                Some(former) if added > 0 => {
                    waiting.bytes = waiting.bytes + added - params_bytes(&former);
                }
                Some(_) => {}
            }
            if waiting.changes.len() > MOST || waiting.bytes > MOST_BYTES {
                *waiting = WaitingChanges {
                    is_everything: true,
                    ..WaitingChanges::default()
                };
            }
        }
        self.added.notify_one();
    }

    /// Waits for changes, and removes them. Cancel safe.
    pub(crate) async fn next(&self) -> BusMessage {
        loop {
            if let Some(message) = lock(&self.waiting).take() {
                return message;
            }
            self.added.notified().await;
        }
    }

    /// Returns the number of changes that wait.
    pub(crate) fn len(&self) -> usize {
        let waiting = lock(&self.waiting);
        waiting.changes.len() + usize::from(waiting.is_everything)
    }
}

impl WaitingChanges {
    fn take(&mut self) -> Option<BusMessage> {
        if std::mem::take(&mut self.is_everything) {
            return Some(BusMessage::Everything);
        }
        let mut changes = Vec::new();
        let mut bytes = 0;
        while changes.len() < AT_ONCE
            && let Some((change, params)) = self.changes.first_key_value()
        {
            let size = uri_bytes(change) + params_bytes(params);
            if !changes.is_empty() && bytes + size > BYTES_AT_ONCE {
                break;
            }
            bytes += size;
            changes.extend(self.changes.pop_first().map(AnyChange::from));
        }
        self.bytes -= bytes;
        (!changes.is_empty()).then_some(BusMessage::Changes(changes))
    }
}

/// Returns the size of the URI of a change in bytes.
fn uri_bytes(change: &Change) -> usize {
    match change {
        Change::Resource(uri) => uri.len(),
        Change::Tools | Change::Prompts | Change::Resources => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(at: usize) -> Change {
        Change::Resource(format!("test://{at}"))
    }

    #[tokio::test]
    async fn changes_are_sent_once_and_in_bounded_messages() {
        let outbox = Outbox::default();
        for _ in 0..3 {
            outbox.add(Change::Tools);
            for at in 0..AT_ONCE {
                outbox.add(resource(at));
            }
        }
        assert_eq!(outbox.len(), AT_ONCE + 1);
        let mut sizes = Vec::new();
        for _ in 0..2 {
            let BusMessage::Changes(changes) = outbox.next().await else {
                panic!("expected a list of changes");
            };
            sizes.push(changes.len());
        }
        assert_eq!((sizes, outbox.len()), (vec![AT_ONCE, 1], 0));
    }

    #[tokio::test]
    async fn too_many_changes_become_one_message() {
        let outbox = Outbox::default();
        for at in 0..2 * MOST {
            outbox.add(resource(at));
        }
        assert!(outbox.len() < MOST);
        let long = "x".repeat(MOST_BYTES);
        assert!(matches!(outbox.next().await, BusMessage::Everything));
        outbox.add(Change::Resource(long + "x"));
        assert!(matches!(outbox.next().await, BusMessage::Everything));
        outbox.add(Change::Tools);
        assert!(matches!(outbox.next().await, BusMessage::Changes(changes) if changes.len() == 1));
    }
}
