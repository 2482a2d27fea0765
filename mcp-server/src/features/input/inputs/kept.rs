//! [`Kept`]: a handler that is kept while it waits for answers, as in a task.
//!
//! Somebody owns the handler and stores what it must not lose: its open questions, the answers that
//! it has read, and the values of `once`. The owner is notified of each change, and confirms that it
//! has stored it.

use serde_json::value::RawValue;
use tokio::sync::watch;

use super::{Inputs, Rounds};
use crate::features::input::state::RawValues;
use crate::protocol::core::Context;

/// The signals between the handler and its owner.
pub(crate) struct Kept {
    /// The number of changes so far.
    changes: watch::Sender<u64>,
    /// The number of changes that are stored.
    stored: watch::Sender<u64>,
    /// The number of deliveries of answers.
    deliveries: watch::Sender<u64>,
}

/// What the owner stores.
pub(crate) struct Snapshot {
    /// The number of changes that it includes.
    pub(crate) changes: u64,
    pub(crate) open: RawValues,
    pub(crate) accepted: RawValues,
    pub(crate) once: RawValues,
}

impl Kept {
    pub(super) fn note_change(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Notes a change, and waits until it is stored.
    pub(crate) async fn store(&self) {
        self.note_change();
        let number = *self.changes.borrow();
        let mut stored = self.stored.subscribe();
        // Fails only if the sender is dropped, and `self` owns it.
        let _ = stored.wait_for(|stored| *stored >= number).await;
    }

    /// Waits until there are more changes than this number.
    pub(crate) async fn changed(&self, known: u64) {
        let mut changes = self.changes.subscribe();
        let _ = changes.wait_for(|changes| *changes > known).await;
    }

    /// Confirms that changes are stored, up to this number.
    pub(crate) fn confirm(&self, changes: u64) {
        self.stored
            .send_modify(|stored| *stored = changes.max(*stored));
    }
}

impl Inputs {
    /// Creates the inputs of a handler that is kept: with the answers that the client has given, and
    /// the values of operations that have finished.
    pub(crate) fn of_kept(accepted: RawValues, once: RawValues) -> Self {
        let rounds = Rounds {
            accepted,
            once,
            ..Rounds::default()
        };
        Self {
            rounds: rounds.into(),
            kept: Some(Kept {
                changes: watch::Sender::new(0),
                stored: watch::Sender::new(0),
                deliveries: watch::Sender::new(0),
            }),
            ..Self::default()
        }
    }

    /// Returns what has to be stored.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // Read before the values: what changes in between is stored once more.
        let changes = self.kept.as_ref().map_or(0, |kept| *kept.changes.borrow());
        let rounds = self.rounds();
        Snapshot {
            changes,
            open: rounds.open.iter().cloned().collect(),
            accepted: rounds.accepted.clone(),
            once: rounds.once.clone(),
        }
    }

    /// Delivers answers to open questions. Ignores others, such as those that were delivered before.
    pub(crate) fn deliver(&self, answers: &RawValues) {
        let mut rounds = self.rounds();
        for (key, answer) in answers {
            let is_open = rounds.open.iter().any(|(open, _)| open == key);
            if is_open && !rounds.accepted.contains_key(key) {
                rounds.responses.insert(key.clone(), answer.clone());
            }
        }
        drop(rounds);
        if let Some(kept) = &self.kept {
            kept.deliveries.send_modify(|deliveries| *deliveries += 1);
        }
    }
}

/// Waits for the answer to a question, if the handler is kept. Otherwise returns `None` at once.
pub(crate) async fn answer(cx: &Context, key: &str) -> Option<Box<RawValue>> {
    let inputs = super::of(cx)?;
    let mut deliveries = inputs.kept.as_ref()?.deliveries.subscribe();
    loop {
        let answer = inputs.rounds().responses.remove(key);
        if answer.is_some() {
            return answer;
        }
        deliveries.changed().await.ok()?;
    }
}
