//! Where tokens and registrations are kept.

mod file;
mod memory;
mod token_store;

pub use file::FileStore;
pub use memory::MemoryStore;
pub use token_store::{StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};
