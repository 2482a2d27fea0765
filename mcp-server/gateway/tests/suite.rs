//! All integration tests of the crate.
