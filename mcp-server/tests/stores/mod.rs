//! Implementations of stores.

mod memory;
#[cfg(all(unix, feature = "redis"))]
pub(crate) mod redis;
