//! The official extensions of the protocol. Each is a [`ClientExtension`](crate::ClientExtension).

pub(crate) mod tasks;
