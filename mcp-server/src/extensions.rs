//! The official extensions of the protocol. Each is a [`ServerExtension`](crate::ServerExtension).

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "tasks")]
pub(crate) mod tasks;
