//! [`Backoff`]: the pause before a subscription is tried again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use crate::protocol::limits::Limits;

/// The shortest pause, whatever the limits say: an unreachable server is not asked in a busy loop.
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

    /// Returns the next pause: between half of the time and all of it, so that clients that lost
    /// the same server do not come back in the same moment.
    pub(super) fn next(&mut self) -> Duration {
        let time = self.next.min(self.most).max(SHORTEST);
        self.next = time.saturating_mul(2);
        let chance = RandomState::new().build_hasher().finish() % 512;
        let part = 512 + u32::try_from(chance).unwrap_or_default();
        time / 1024 * part
    }
}
