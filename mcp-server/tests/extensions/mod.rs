//! The official extensions.

#[cfg(feature = "apps")]
mod apps;
#[cfg(feature = "tasks")]
mod tasks;
#[cfg(feature = "tasks")]
mod tasks_attacked;
#[cfg(feature = "tasks")]
mod tasks_questions;
#[cfg(feature = "tasks")]
mod tasks_shared;
#[cfg(all(feature = "http", feature = "tasks"))]
mod tasks_shutdown;
#[cfg(feature = "tasks")]
mod tasks_takeover;
