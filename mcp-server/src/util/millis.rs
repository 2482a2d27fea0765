//! Times in milliseconds, as tokens and stored values contain them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns a duration in milliseconds.
pub(crate) fn of(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the milliseconds from 1970 to a time, or 0 for earlier times.
pub(crate) fn until(time: SystemTime) -> u64 {
    of(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// Returns the milliseconds since 1970.
pub(crate) fn now() -> u64 {
    until(SystemTime::now())
}
