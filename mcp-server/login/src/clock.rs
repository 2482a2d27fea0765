//! The time of the system, as it is stored and sealed.

use std::time::SystemTime;

/// Returns the seconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}
