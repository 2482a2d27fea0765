//! The time of the system, as it is stored and sealed.

use std::time::{Duration, SystemTime};

/// Returns the seconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

/// Returns the time of a number of seconds since the Unix epoch.
pub(crate) fn system_time(seconds: u64) -> SystemTime {
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}
