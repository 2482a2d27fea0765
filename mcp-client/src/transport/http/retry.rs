//! Pauses before a stream or a session is tried again.

use std::time::Duration;

/// The bounds of the pause before a stream is resumed, whatever the server asks for.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);
/// The first and the longest pause if the server does not ask for one.
pub(super) const PAUSE: Duration = Duration::from_millis(250);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Returns the pause that the server asks for, within bounds, or else `pause`.
pub(super) fn wait(retry: Option<Duration>, pause: Duration) -> Duration {
    let wait = retry.unwrap_or(pause);
    wait.clamp(SHORTEST_PAUSE, LONGEST_RETRY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_that_a_server_asks_for_is_kept_within_bounds() {
        let second = Duration::from_secs(1);
        assert_eq!(wait(None, PAUSE), PAUSE);
        assert_eq!(wait(Some(second), PAUSE), second);
        assert_eq!(wait(Some(Duration::ZERO), PAUSE), SHORTEST_PAUSE);
        assert_eq!(wait(Some(Duration::MAX), PAUSE), LONGEST_RETRY);
    }
}
