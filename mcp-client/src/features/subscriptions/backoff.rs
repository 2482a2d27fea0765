//! [`Backoff`]: the pause before a subscription or a poll is tried again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::limits::Limits;

/// The shortest pause, even if the limits are lower: prevents a busy loop if the server is
/// unreachable.
const SHORTEST: Duration = Duration::from_millis(10);

/// The longest pause that a server can request.
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);

/// Doubles the pause after each attempt that fails, or that was open for less than the pause.
pub(crate) struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
    /// When the subscription was opened.
    opened: Option<Instant>,
}

impl Backoff {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            first: limits.retry_first,
            most: limits.retry_most,
            next: limits.retry_first,
            opened: None,
        }
    }

    /// Begins an attempt.
    pub(crate) fn begin(&mut self) {
        self.opened = None;
    }

    /// Records that the attempt succeeded.
    pub(crate) fn opened(&mut self) {
        self.opened = Some(Instant::now());
    }

    /// Returns the next pause, at least the one that the server requests: a random part of the
    /// time, between half of it and all of it, so that the clients of a restarted server do not
    /// reconnect in the same moment.
    pub(crate) fn next(&mut self, requested: Option<Duration>) -> Duration {
        if self
            .opened
            .is_some_and(|opened| opened.elapsed() >= self.next)
        {
            self.next = self.first;
        }
        let time = self.next.min(self.most).max(SHORTEST);
        self.next = time.saturating_mul(2);
        let chance = RandomState::new().build_hasher().finish() % 512;
        let part = 512 + u32::try_from(chance).unwrap_or_default();
        let least = requested.unwrap_or_default().min(LONGEST_RETRY);
        (time / 1024 * part).max(least)
    }
}
