//! Checks for implementations of [`Store`].
//!
//! ```no_run
//! # use mcp_server::Memory;
//! # async fn run() {
//! let shared = Memory::new();
//! mcp_server::testing::store(async || shared.clone()).await;
//! # }
//! ```

mod bus;
mod contention;
mod events;
mod groups;
mod streams;
mod values;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::protocol::error::text::Chain;
use crate::protocol::store::values::{Condition, KeyGroup, Put, PutOutcome};
use crate::protocol::store::{Store, StoreFuture};

/// The time in which every operation has to finish that does not wait for events or messages.
const OPERATION_TIME: Duration = Duration::from_secs(10);
/// The time in which an operation has to finish that waits "for some seconds".
const WAITING_TIME: Duration = Duration::from_secs(12);
/// The time in which a waiting reader of another process has to receive what was written.
const WAKE_TIME: Duration = Duration::from_secs(1);
/// The time to live of values that must not expire during a check.
const LONG: Duration = Duration::from_secs(60);

/// Checks that a store does what the documentation of [`ValueStore`](crate::ValueStore),
/// [`EventStore`](crate::EventStore) and [`Bus`](crate::Bus) requires, in less than 15 seconds.
///
/// `make` returns a handle to the store: a value that has nothing in common with earlier ones but
/// the place where everything is stored, as in another process. The place has to be empty, and
/// nobody else may use it meanwhile. Must run in a runtime of tokio.
///
/// # Panics
///
/// If the store does something else. The message says what the store returned, and what was
/// expected.
pub async fn store<S: Store>(make: impl AsyncFn() -> S) {
    let handles = Handles {
        a: Arc::new(make().await),
        b: Arc::new(make().await),
    };
    let mut checks = JoinSet::new();
    checks.spawn(values::check(handles.clone()));
    checks.spawn(values::check_expiry(handles.clone()));
    checks.spawn(groups::check(handles.clone()));
    checks.spawn(contention::check(handles.clone()));
    checks.spawn(events::check(handles.clone()));
    checks.spawn(streams::check(handles.clone()));
    checks.spawn(bus::check(handles));
    while let Some(done) = checks.join_next().await {
        if let Err(error) = done {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

/// Two handles to the same place, as two processes have.
struct Handles<S> {
    a: Arc<S>,
    b: Arc<S>,
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
    fn either(&self, at: usize) -> Arc<S> {
        Arc::clone(if at.is_multiple_of(2) {
            &self.a
        } else {
            &self.b
        })
    }
}

/// Returns what an operation returns. Panics if it fails, or does not finish in time.
async fn within<T>(limit: Duration, step: &str, operation: StoreFuture<'_, T>) -> T {
    match timeout(limit, operation).await {
        Ok(Ok(done)) => done,
        Ok(Err(error)) => panic!("{step}: the store returned the error `{}`", Chain(&error)),
        Err(_) => panic!("{step}: the store did not finish within {limit:?}"),
    }
}

/// Returns what an operation returns that does not wait for events or messages.
async fn done<T>(step: &str, operation: StoreFuture<'_, T>) -> T {
    within(OPERATION_TIME, step, operation).await
}

/// Panics unless the store returned what was expected.
fn check<T: PartialEq + Debug>(step: &str, returned: &T, expected: &T) {
    assert!(
        returned == expected,
        "{step}: the store returned {returned:?}, expected {expected:?}"
    );
}

/// Panics if less time has passed.
fn check_waited(step: &str, since: Instant, least: Duration) {
    let waited = since.elapsed();
    assert!(
        waited >= least,
        "{step}: the store returned after {waited:?}, expected that it waits for some seconds"
    );
}

/// Returns a write of a value that does not expire during a check.
fn put<'a>(key: &'a str, value: &'a [u8], condition: Condition) -> Put<'a> {
    Put {
        key,
        value,
        time_to_live: LONG,
        condition,
        group: None,
    }
}

/// Returns a write of a key of a group.
fn put_in<'a>(name: &'a str, most: usize, key: &'a str, time_to_live: Duration) -> Put<'a> {
    Put {
        time_to_live,
        group: Some(KeyGroup { name, most }),
        ..put(key, b"grouped", Condition::Any)
    }
}

/// Returns the version of a value that was written.
fn written(step: &str, outcome: PutOutcome) -> u64 {
    match outcome {
        PutOutcome::Written(version) => version,
        other => panic!("{step}: the store returned {other:?}, expected that it writes the value"),
    }
}

/// Returns texts that are hard to store: with everything that separates, quotes or matches.
fn odd_texts() -> Vec<String> {
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
fn odd_bytes(number: usize) -> Vec<u8> {
    (0..=u8::MAX).rev().cycle().take(number).collect()
}
