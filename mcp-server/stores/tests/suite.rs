//! All integration tests of the crate.

mod memory;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
#[cfg(all(unix, feature = "redis"))]
mod redis;
