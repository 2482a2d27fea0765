//! [`Kept`]: a handler that is kept while it waits for answers, as in a task.
//!
//! Somebody owns the handler and stores what it must not lose: its open questions, the answers that
//! it has read, and the values of `once`. The owner is notified of each change, and confirms that it
//! has stored it.

use tokio::sync::watch;

/// The signals between the handler and its owner.
pub(crate) struct Kept {
    /// The number of changes so far.
    changes: watch::Sender<u64>,
    /// The number of changes that are stored.
    stored: watch::Sender<u64>,
    /// The number of deliveries of answers.
    deliveries: watch::Sender<u64>,
    /// Whether there is an owner that stores changes.
    is_stored: bool,
}

impl Kept {
    pub(super) fn new(is_stored: bool) -> Self {
        Self {
            is_stored,
            changes: watch::Sender::new(0),
            stored: watch::Sender::new(0),
            deliveries: watch::Sender::new(0),
        }
    }

    /// Returns the number of changes so far.
    pub(super) fn changes(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Wakes the questions that wait for answers.
    pub(super) fn note_delivery(&self) {
        self.deliveries.send_modify(|deliveries| *deliveries += 1);
    }

    /// Returns what changes with each delivery of answers.
    pub(super) fn deliveries(&self) -> watch::Receiver<u64> {
        self.deliveries.subscribe()
    }

    pub(super) fn note_change(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Notes a change, and waits until it is stored if the owner stores changes.
    pub(crate) async fn store(&self) {
        self.note_change();
        if !self.is_stored {
            return;
        }
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
    #[cfg(feature = "tasks")]
    pub(crate) fn confirm(&self, changes: u64) {
        self.stored
            .send_modify(|stored| *stored = changes.max(*stored));
    }
}
