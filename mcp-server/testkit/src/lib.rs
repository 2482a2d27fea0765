//! What observes servers in the tests of several crates: a client of lines of JSON, one of HTTP with a
//! server for it, a subscriber of the log, and an HTTPS host that clients are led to.

#![expect(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "only tests use it, which fail by panics"
)]

#[cfg(feature = "web")]
pub mod certificate;
#[cfg(feature = "http")]
pub mod http;
pub mod log;
pub mod peer;
pub mod text_log;
#[cfg(feature = "web")]
pub mod web;

use std::time::Duration;

/// Longer than any successful operation.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits for a future, with a timeout.
pub async fn soon<F: IntoFuture>(future: F) -> F::Output {
    let done = tokio::time::timeout(TIMEOUT, future.into_future()).await;
    done.expect("timed out")
}
