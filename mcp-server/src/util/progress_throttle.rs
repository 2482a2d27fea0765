//! [`ProgressThrottle`]: limits the rate of progress notifications.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::util::lock::lock;

/// Admits a growing value at most once per interval.
#[derive(Default)]
pub(crate) struct ProgressThrottle(Mutex<Option<(f64, Instant)>>);

impl ProgressThrottle {
    /// Returns `true` if a value should be sent: it is greater than the one before, and either the
    /// interval has passed since then or the value is the final one.
    pub(crate) fn admit(&self, value: f64, is_final: bool, interval: Duration) -> bool {
        let now = Instant::now();
        let mut state = lock(&self.0);
        let admit = match *state {
            None => true,
            Some((before, at)) => {
                value > before && (is_final || now.duration_since(at) >= interval)
            }
        };
        if admit {
            *state = Some((value, now));
        }
        admit
    }
}
