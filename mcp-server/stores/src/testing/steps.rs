//! Steps that all checks have in common.

use std::error::Error;
use std::fmt::Debug;
use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use mcp_server::{Condition, KeyGroup, Put, PutOutcome, StoreFuture};
use tokio::time::{Instant, timeout};

/// The time in which every operation has to finish that does not wait for events or messages.
pub(super) const OPERATION_TIME: Duration = Duration::from_secs(10);
/// The time in which an operation has to finish that waits "for some seconds".
pub(super) const WAITING_TIME: Duration = Duration::from_secs(12);
/// The time in which a waiting reader of another process has to receive what was written.
pub(super) const WAKE_TIME: Duration = Duration::from_secs(1);
/// The time to live of values that must not expire during a check.
pub(super) const LONG: Duration = Duration::from_secs(60);

/// Two handles to the same place, as two processes have.
pub(super) struct Handles<S> {
    pub(super) a: Arc<S>,
    pub(super) b: Arc<S>,
}

impl<S> Clone for Handles<S> {
    fn clone(&self) -> Self {
        Self {
            a: Arc::clone(&self.a),
            b: Arc::clone(&self.b),
        }
    }
}

impl<S> Handles<S> {
    /// Returns the handles in turn.
    pub(super) fn either(&self, at: usize) -> Arc<S> {
        Arc::clone(if at.is_multiple_of(2) {
            &self.a
        } else {
            &self.b
        })
    }
}

/// Returns what an operation returns. Panics if it fails, or does not finish in time.
pub(super) async fn within<T>(limit: Duration, step: &str, operation: StoreFuture<'_, T>) -> T {
    let Ok(done) = timeout(limit, operation).await else {
        panic!("{step}: the store did not finish within {limit:?}");
    };
    done.unwrap_or_else(|error| {
        let first: &(dyn Error + 'static) = &error;
        let causes = successors(Some(first), |error| (*error).source());
        let causes: Vec<String> = causes.map(ToString::to_string).collect();
        panic!(
            "{step}: the store returned the error `{}`",
            causes.join(": ")
        )
    })
}

/// Returns what an operation returns that does not wait for events or messages.
pub(super) async fn done<T>(step: &str, operation: StoreFuture<'_, T>) -> T {
    within(OPERATION_TIME, step, operation).await
}

/// Panics unless the store returned what was expected.
pub(super) fn check<T: PartialEq + Debug>(step: &str, returned: &T, expected: &T) {
    assert!(
        returned == expected,
        "{step}: the store returned {returned:?}, expected {expected:?}"
    );
}

/// Panics if less time has passed.
pub(super) fn check_waited(step: &str, since: Instant, least: Duration) {
    let waited = since.elapsed();
    assert!(
        waited >= least,
        "{step}: the store returned after {waited:?}, expected that it waits for some seconds"
    );
}

/// Returns a write of a value that does not expire during a check.
pub(super) fn put<'a>(key: &'a str, value: &'a [u8], condition: Condition) -> Put<'a> {
    Put {
        key,
        value,
        time_to_live: LONG,
        condition,
        group: None,
    }
}

/// Returns a write of a key of a group.
pub(super) fn put_in<'a>(
    name: &'a str,
    most: usize,
    key: &'a str,
    time_to_live: Duration,
) -> Put<'a> {
    Put {
        time_to_live,
        group: Some(KeyGroup { name, most }),
        ..put(key, b"grouped", Condition::Any)
    }
}

/// Returns the version of a value that was written.
pub(super) fn written(step: &str, outcome: PutOutcome) -> u64 {
    match outcome {
        PutOutcome::Written(version) => version,
        other => panic!("{step}: the store returned {other:?}, expected that it writes the value"),
    }
}

/// Returns texts that are hard to store: with everything that separates, quotes or matches.
pub(super) fn odd_texts() -> Vec<String> {
    let printable: String = (' '..='~').collect();
    let all = [
        "'\"`", "{a}{}", "100%s%%", "a:b::", "*?[a-z]^", "\\0\\n", "; --", " ",
    ];
    let mut texts: Vec<String> = all.map(str::to_owned).to_vec();
    texts.push(printable.chars().cycle().take(1024).collect());
    // Differ from others in the last byte, or in upper and lower case.
    texts.push(format!("{}!", &"k".repeat(1023)));
    texts.push(format!("{}?", &"k".repeat(1023)));
    texts.extend(["case".to_owned(), "CASE".to_owned()]);
    texts
}

/// Returns bytes of this number that no encoding of text allows.
pub(super) fn odd_bytes(number: usize) -> Vec<u8> {
    (0..=u8::MAX).rev().cycle().take(number).collect()
}
