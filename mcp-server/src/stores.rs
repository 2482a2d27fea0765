//! Implementations of [`Store`](crate::Store).

pub(crate) mod memory;
