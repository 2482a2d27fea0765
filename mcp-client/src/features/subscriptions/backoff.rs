//! [`Backoff`]: the pause before a subscription is tried again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use crate::protocol::limits::Limits;

/// The shortest pause, even if the limits are lower: prevents a busy loop if the server is unreachable.
const SHORTEST: Duration = Duration::from_millis(10);

/// Doubles the pause after each attempt that fails.
pub(super) struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            first: limits.retry_first,
            most: limits.retry_most,
            next: limits.retry_first,
        }
    }

    /// Starts again with the first pause, after an attempt that succeeded.
    pub(super) fn reset(&mut self) {
        self.next = self.first;
    }

    /// Returns the next pause: a random part of the time, between half of it and all of it, so that the
    /// clients of a restarted server do not reconnect in the same moment.
    pub(super) fn next(&mut self) -> Duration {
        let time = self.next.min(self.most).max(SHORTEST);
        self.next = time.saturating_mul(2);
        let chance = RandomState::new().build_hasher().finish() % 512;
        let part = 512 + u32::try_from(chance).unwrap_or_default();
        time / 1024 * part
    }
}
