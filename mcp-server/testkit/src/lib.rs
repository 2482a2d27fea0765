//! What observes servers in the tests of several crates: a client of lines of JSON, and a subscriber of the
//! log.

#![expect(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "only tests use it, which fail by panics"
)]

pub mod log;
pub mod peer;
