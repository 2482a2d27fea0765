//! The official extensions.

#[cfg(feature = "tasks")]
mod tasks;
#[cfg(feature = "tasks")]
mod tasks_shared;
#[cfg(feature = "tasks")]
mod tasks_takeover;
