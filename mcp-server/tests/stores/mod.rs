//! Implementations of stores.

mod memory;
