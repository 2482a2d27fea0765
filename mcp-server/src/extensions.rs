//! The official extensions of the protocol. Each is a [`ServerExtension`](crate::ServerExtension).

#[cfg(feature = "tasks")]
pub(crate) mod tasks;
