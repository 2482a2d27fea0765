//! Validation of [`Limits`].

use std::time::Duration;

use super::Limits;
use crate::protocol::error::BuildError;

/// The maximum duration, some 30 years. Durations are added to each other and to the current time,
/// which must not overflow.
const LONGEST: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The maximum count and size. Numbers are added to each other, and a semaphore has at most this
/// number of permits.
const MOST: usize = usize::MAX >> 4;

/// A limit that may mean "unlimited".
pub(super) trait Finite {
    /// Returns the limit, or the highest value with which sums do not overflow.
    fn finite(self) -> Self;
}

impl Finite for Duration {
    fn finite(self) -> Self {
        self.min(LONGEST)
    }
}

impl Finite for usize {
    fn finite(self) -> Self {
        self.min(MOST)
    }
}

impl Limits {
    /// Validates the limits, and lowers those that mean "unlimited" to values that can be added to
    /// each other.
    ///
    /// # Errors
    ///
    /// [`BuildError::Invalid`] for a limit that must not be zero.
    pub(crate) fn checked(self) -> Result<Self, BuildError> {
        for (name, is_zero) in [
            ("message_bytes", self.message_bytes == 0),
            ("keep_alive", self.keep_alive.is_zero()),
            ("header_time", self.header_time.is_zero()),
            ("connection_idle_time", self.connection_idle_time.is_zero()),
            ("write_time", self.write_time.is_zero()),
        ] {
            if is_zero {
                return Err(BuildError::Invalid {
                    kind: "limit",
                    name: name.to_owned(),
                    reason: "expected more than zero, found zero: the server could not answer any request".to_owned(),
                });
            }
        }
        Ok(self.finite())
    }
}
