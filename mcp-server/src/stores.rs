//! Implementations of [`Store`](crate::Store).

pub(crate) mod memory;
#[cfg(feature = "redis")]
pub(crate) mod redis;
#[cfg(feature = "testing")]
pub mod testing;
