//! Implementations of stores.

mod memory;
#[cfg(all(unix, feature = "redis"))]
mod redis;
#[cfg(all(unix, feature = "redis"))]
mod redis_server;
