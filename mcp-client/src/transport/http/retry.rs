//! Pauses before a stream or a session is tried again.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// The bounds of the pause before a stream is resumed, even if the server requests another one.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);
/// The first and the longest pause if the server does not request one.
pub(super) const PAUSE: Duration = Duration::from_millis(250);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Returns the pause that the server requests, within bounds, or `pause` if it requests none.
pub(super) fn wait(retry: Option<Duration>, pause: Duration) -> Duration {
    let wait = retry.unwrap_or(pause);
    wait.clamp(SHORTEST_PAUSE, LONGEST_RETRY)
}

/// Returns the time of the header `Retry-After`, if it is a number of seconds.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?;
    seconds.trim_ascii().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_retry_delay_is_bounded() {
        let second = Duration::from_secs(1);
        assert_eq!(wait(None, PAUSE), PAUSE);
        assert_eq!(wait(Some(second), PAUSE), second);
        assert_eq!(wait(Some(Duration::ZERO), PAUSE), SHORTEST_PAUSE);
        assert_eq!(wait(Some(Duration::MAX), PAUSE), LONGEST_RETRY);
    }
}
