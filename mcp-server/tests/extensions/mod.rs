//! The official extensions.

#[cfg(feature = "apps")]
mod apps;
#[cfg(feature = "tasks")]
mod tasks;
#[cfg(feature = "tasks")]
mod tasks_shared;
