//! Where tokens and registrations are kept.

mod file;
#[cfg(feature = "keyring")]
mod keyring;
mod memory;
mod token_store;

#[cfg(feature = "keyring")]
pub use self::keyring::KeyringStore;
pub use file::FileStore;
pub use memory::MemoryStore;
pub use token_store::{StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};
