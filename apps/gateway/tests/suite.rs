//! All integration tests of the crate.

mod announcements;
mod causes;
mod changes;
mod descriptions;
mod extensions;
mod faults;
mod groups;
mod headers;
mod isolation;
mod list_changes;
mod matrix;
mod methods;
mod outages;
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
