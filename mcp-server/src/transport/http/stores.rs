//! The stores that several processes can share: `session_store` has sessions, and `event_store` the
//! events of streams that a client can resume.

pub(crate) mod event_store;
pub(crate) mod session_store;
