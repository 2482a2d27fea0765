//! Ways to reach a server.

pub(crate) mod stream;
