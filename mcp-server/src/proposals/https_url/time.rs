//! Conversion of times to milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns milliseconds since 1970, or 0 for earlier times.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    duration_millis(since)
}

/// Returns a duration in milliseconds.
pub(crate) fn duration_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
