//! All integration tests of the crate.

#[cfg(feature = "openapi")]
mod openapi;
#[cfg(feature = "search")]
mod search;
