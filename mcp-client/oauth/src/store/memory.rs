//! [`MemoryStore`]: forgets everything when the program ends.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_oauth::Secret;

use super::token_store::{StoreFuture, StoreKey, StoreLock, TokenStore};

/// Keeps tokens in memory. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStore {
    values: Arc<Mutex<BTreeMap<StoreKey, Secret>>>,
    locks: Arc<Mutex<BTreeMap<StoreKey, Arc<tokio::sync::Mutex<()>>>>>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn values(&self) -> MutexGuard<'_, BTreeMap<StoreKey, Secret>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenStore for MemoryStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, Option<Secret>> {
        let value = self.values().get(key).cloned();
        Box::pin(std::future::ready(Ok(value)))
    }

    fn save<'a>(&'a self, key: &'a StoreKey, value: &'a Secret) -> StoreFuture<'a, ()> {
        self.values().insert(key.clone(), value.clone());
        Box::pin(std::future::ready(Ok(())))
    }

    fn remove<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, ()> {
        self.values().remove(key);
        Box::pin(std::future::ready(Ok(())))
    }

    fn keys(&self) -> StoreFuture<'_, Vec<StoreKey>> {
        let keys = self.values().keys().cloned().collect();
        Box::pin(std::future::ready(Ok(keys)))
    }

    fn lock<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, StoreLock> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = Arc::clone(locks.entry(key.clone()).or_default());
        drop(locks);
        Box::pin(async move {
            let guard: StoreLock = Box::new(lock.lock_owned().await);
            Ok(guard)
        })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}
