//! All integration tests of the crate.

mod faults;
mod headers;
mod isolation;
mod matrix;
#[cfg(feature = "openapi")]
mod openapi;
mod passing;
mod presentation;
#[cfg(feature = "search")]
mod search;
mod support;
mod users;
