//! [`Failures`]: the pauses after failures to connect.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// After a failure, connections are refused for this time, which doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The maximum number of causes that are remembered.
const CAUSES: usize = 64;

/// The failures to connect to an upstream, each with its cause: the capabilities of the client.
/// Nothing else that a client says is part of a connection, so clients with other capabilities are
/// not kept from connecting.
#[derive(Default)]
pub(crate) struct Failures {
    by_cause: HashMap<String, Failure>,
    is_failing: bool,
}

struct Failure {
    until: Instant,
    pause: Duration,
}

impl Failures {
    /// Returns `true` if the last attempt to connect failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.is_failing
    }

    /// Returns `true` for some time after a failure.
    pub(crate) fn is_paused(&self, cause: &str) -> bool {
        let failure = self.by_cause.get(cause);
        failure.is_some_and(|failure| Instant::now() < failure.until)
    }

    pub(crate) fn note_success(&mut self, cause: &str) {
        self.by_cause.remove(cause);
        self.is_failing = false;
    }

    pub(crate) fn note(&mut self, cause: &str) {
        let last = self.by_cause.get(cause).map(|failure| failure.pause * 2);
        let pause = last.unwrap_or(FIRST_PAUSE).min(LONGEST_PAUSE);
        let until = Instant::now() + pause;
        if last.is_none() && self.by_cause.len() >= CAUSES {
            // The pause that ends first matters least.
            let first = self
                .by_cause
                .iter()
                .min_by_key(|(_, failure)| failure.until);
            if let Some(first) = first.map(|(cause, _)| cause.clone()) {
                self.by_cause.remove(&first);
            }
        }
        self.by_cause
            .insert(cause.to_owned(), Failure { until, pause });
        self.is_failing = true;
    }
}
