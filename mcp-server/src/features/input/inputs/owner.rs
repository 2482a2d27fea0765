//! What the owner of a [kept](super::kept) handler does with its inputs.

use serde_json::value::RawValue;

#[cfg(feature = "tasks")]
use super::Rounds;
use super::kept::Kept;
use super::{Inputs, OpenQuestion};
use crate::features::input::state::RawValues;
use crate::protocol::core::Context;

/// What the owner stores.
#[cfg(feature = "tasks")]
pub(crate) struct Snapshot {
    /// The number of changes that it includes.
    pub(crate) changes: u64,
    pub(crate) open: RawValues,
    pub(crate) accepted: RawValues,
    pub(crate) once: RawValues,
}

impl Inputs {
    /// Creates the inputs of a handler that is kept and stored: with the answers that the client has given, and
    /// the values of operations that have finished.
    #[cfg(feature = "tasks")]
    pub(crate) fn of_kept(accepted: RawValues, once: RawValues) -> Self {
        let rounds = Rounds {
            accepted,
            once,
            ..Rounds::default()
        };
        Self {
            rounds: rounds.into(),
            kept: Some(Kept::new(true)),
            ..Self::default()
        }
    }

    /// Creates the inputs of a handler that is kept in memory only.
    pub(crate) fn detached() -> Self {
        Self {
            kept: Some(Kept::new(false)),
            ..Self::default()
        }
    }

    /// Returns the open questions of a handler that is kept, and the number of its changes so far.
    pub(crate) fn open_questions(&self) -> (Vec<OpenQuestion>, u64) {
        let changes = self.kept.as_ref().map_or(0, Kept::changes);
        (self.rounds().open.clone(), changes)
    }

    /// Waits until a handler that is kept has changed something.
    pub(crate) async fn changed_since(&self, changes: u64) {
        if let Some(kept) = &self.kept {
            kept.changed(changes).await;
        }
    }

    /// Returns `true` if questions are the result of the request, which the client then sends
    /// again.
    pub(crate) fn asks_in_rounds(&self) -> bool {
        self.origin.is_some() && self.kept.is_none()
    }

    /// Removes and returns the answers in the request to some questions.
    pub(crate) fn take_responses(&self, questions: &[OpenQuestion]) -> RawValues {
        let responses = &mut self.rounds().responses;
        let answered = questions.iter().filter_map(|(key, _)| {
            let answer = responses.remove(key)?;
            Some((key.clone(), answer))
        });
        answered.collect()
    }

    /// Ends the round with questions of a detached call.
    pub(crate) fn suspend_for(&self, open: Vec<OpenQuestion>) {
        let mut rounds = self.rounds();
        for (key, question) in open {
            // The same question of another call: this one asks again in the next round.
            if !rounds.open.iter().any(|(known, _)| *known == key) {
                rounds.open.push((key, question));
            }
        }
        rounds.wake();
    }

    /// Returns what has to be stored.
    #[cfg(feature = "tasks")]
    pub(crate) fn snapshot(&self) -> Snapshot {
        // Read before the values: what changes in between is stored once more.
        let changes = self.kept.as_ref().map_or(0, Kept::changes);
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
            kept.note_delivery();
        }
    }
}

/// Waits for the answer to a question, if the handler is kept. Otherwise returns `None` at once.
pub(crate) async fn answer(cx: &Context, key: &str) -> Option<Box<RawValue>> {
    let inputs = super::of(cx)?;
    let mut deliveries = inputs.kept.as_ref()?.deliveries();
    loop {
        let answer = inputs.rounds().responses.remove(key);
        if answer.is_some() {
            return answer;
        }
        // A task that the handler spawned may still wait when the handler is gone.
        tokio::select! {
            biased;
            _ = deliveries.changed() => {}
            () = cx.cancelled() => return None,
        }
    }
}
