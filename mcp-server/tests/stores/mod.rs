//! Implementations of stores.

mod memory;
#[cfg(all(unix, feature = "redis"))]
mod redis;
