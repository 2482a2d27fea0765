//! Helpers that know nothing of the protocol.

pub(crate) mod origin;
