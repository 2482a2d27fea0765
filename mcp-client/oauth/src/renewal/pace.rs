//! [`Pace`]: pauses after failed attempts to get tokens, and a limit of logins.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{OAuthError, OAuthFault, OAuthStep};

/// The pause after the first failure. Each further failure doubles it.
const PAUSE: Duration = Duration::from_secs(1);
/// The maximum pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(64);

/// The maximum number of logins of a user that a server can cause within [`LOGIN_TIME`].
const LOGINS: usize = 6;
/// The same without a user.
const MACHINE_LOGINS: usize = 60;
const LOGIN_TIME: Duration = Duration::from_secs(600);

/// Limits how often a server can make the client get tokens.
#[derive(Default)]
pub(super) struct Pace {
    /// The number of failures in a row.
    failures: u32,
    /// The last failure, and when the pause after it ends.
    failed: Option<(OAuthError, Instant)>,
    /// When the latest logins began.
    logins: VecDeque<Instant>,
}

impl Pace {
    /// Checks that no pause is running.
    ///
    /// # Errors
    ///
    /// Returns the failure that the pause follows.
    pub(super) fn check(&self) -> Result<(), OAuthError> {
        match &self.failed {
            Some((error, end)) if Instant::now() < *end => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Begins a pause.
    pub(super) fn failed(&mut self, error: &OAuthError) {
        let pause = PAUSE.saturating_mul(2_u32.saturating_pow(self.failures));
        self.failures = self.failures.saturating_add(1);
        let end = Instant::now() + pause.min(LONGEST_PAUSE);
        self.failed = Some((error.clone(), end));
    }

    /// Ends the pause.
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
        self.failed = None;
    }

    /// Counts a login that a server causes.
    ///
    /// # Errors
    ///
    /// Fails if there were too many.
    pub(super) fn begin_login(&mut self, is_interactive: bool) -> Result<(), OAuthError> {
        let now = Instant::now();
        self.logins.retain(|begun| now - *begun < LOGIN_TIME);
        let limit = if is_interactive {
            LOGINS
        } else {
            MACHINE_LOGINS
        };
        if self.logins.len() >= limit {
            let fault = OAuthFault::Logins(self.logins.len());
            return Err(OAuthError::new(OAuthStep::Use, fault));
        }
        self.logins.push_back(now);
        Ok(())
    }

    /// Forgets everything, because the program or the user asks for a login.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_double_until_an_attempt_succeeds() {
        let mut pace = Pace::default();
        let error = OAuthError::new(OAuthStep::Token, OAuthFault::LoginRequired);
        for seconds in [1, 2, 4, 8, 16, 32, 64, 64] {
            pace.check().expect("no pause");
            pace.failed(&error);
            tokio::time::advance(Duration::from_millis(seconds * 1000 - 1)).await;
            pace.check().expect_err("a pause");
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        pace.failed(&error);
        pace.succeeded();
        pace.check().expect("no pause");
        pace.failed(&error);
        tokio::time::advance(Duration::from_secs(1)).await;
        pace.check().expect("the first pause is short again");
    }

    #[tokio::test(start_paused = true)]
    async fn logins_are_limited_by_time() {
        let mut pace = Pace::default();
        for _ in 0..LOGINS {
            pace.begin_login(true).expect("permitted");
            tokio::time::advance(LOGIN_TIME / 10).await;
        }
        pace.begin_login(true).expect_err("too many");
        pace.begin_login(false).expect("no user is disturbed");
        tokio::time::advance(LOGIN_TIME * 3 / 5).await;
        pace.begin_login(true)
            .expect("the first ones were long ago");
    }
}
