//! All integration tests of the crate.

mod announcements;
mod changes;
mod faults;
mod headers;
mod isolation;
mod matrix;
#[cfg(feature = "openapi")]
mod openapi;
mod passing;
mod presentation;
mod sealed;
#[cfg(feature = "search")]
mod search;
mod shares;
mod sharing;
mod subscribing;
mod support;
mod task_states;
mod tasks;
mod users;
