//! Implementations of [`Store`](crate::Store).

pub(crate) mod memory;
#[cfg(feature = "testing")]
pub mod testing;
