//! The official extensions.

#[cfg(feature = "tasks")]
mod tasks;
#[cfg(feature = "tasks")]
mod tasks_shared;
