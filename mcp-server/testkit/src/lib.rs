//! What observes servers in the tests of several crates: a client of lines of JSON, one of HTTP with a
//! server for it, and a subscriber of the log.

#![expect(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "only tests use it, which fail by panics"
)]

#[cfg(feature = "http")]
pub mod http;
pub mod log;
pub mod peer;
