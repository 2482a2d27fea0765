//! [`Restart`]: how often and how soon a process is restarted.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Restarts a process after a delay that doubles each time, up to a number of times within a
/// period. If the process exits again in that period, the connection is closed.
#[derive(Clone, Debug)]
pub struct Restart {
    times: usize,
    within: Duration,
    delay: Duration,
    longest: Duration,
}

impl Restart {
    /// Allows this many restarts within a period. The delay is 100 milliseconds at first, and 5
    /// seconds at most.
    #[must_use]
    pub fn new(times: usize, within: Duration) -> Self {
        Self {
            times,
            within,
            delay: Duration::from_millis(100),
            longest: Duration::from_secs(5),
        }
    }

    /// Sets the first and the longest delay.
    #[must_use]
    pub fn delay(mut self, first: Duration, longest: Duration) -> Self {
        self.delay = first;
        self.longest = longest;
        self
    }
}

/// Allows five restarts within a minute.
impl Default for Restart {
    fn default() -> Self {
        Self::new(5, Duration::from_secs(60))
    }
}

/// The restarts so far.
pub(super) struct Restarts {
    policy: Option<Restart>,
    recent: VecDeque<Instant>,
}

impl Restarts {
    pub(super) fn new(policy: Option<Restart>) -> Self {
        Self {
            policy,
            recent: VecDeque::new(),
        }
    }

    /// Counts a restart, and returns the delay before it; `None` if it is not allowed.
    pub(super) fn next(&mut self) -> Option<Duration> {
        let policy = self.policy.as_ref()?;
        let now = Instant::now();
        let old = |restart: &Instant| now.duration_since(*restart) > policy.within;
        while self.recent.front().is_some_and(old) {
            self.recent.pop_front();
        }
        if self.recent.len() >= policy.times {
            return None;
        }
        let doubled = u32::try_from(self.recent.len()).unwrap_or(u32::MAX);
        let delay = policy.delay.saturating_mul(2_u32.saturating_pow(doubled));
        self.recent.push_back(now);
        Some(delay.min(policy.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn delay_doubles_up_to_its_maximum_and_old_restarts_expire() {
        let seconds = Duration::from_secs;
        let policy = Restart::new(4, seconds(60)).delay(seconds(1), seconds(3));
        let mut restarts = Restarts::new(Some(policy));
        for delay in [1, 2, 3, 3] {
            assert_eq!(restarts.next(), Some(seconds(delay)));
        }
        assert_eq!(restarts.next(), None);
        tokio::time::advance(seconds(61)).await;
        assert_eq!(restarts.next(), Some(seconds(1)));
    }

    #[test]
    fn without_a_policy_no_restart_is_allowed() {
        assert_eq!(Restarts::new(None).next(), None);
    }
}
