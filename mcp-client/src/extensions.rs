//! The official extensions of the protocol. Each is a [`ClientExtension`](crate::ClientExtension).

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "skills")]
pub mod skills;
pub(crate) mod tasks;
