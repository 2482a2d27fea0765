//! [`ListCache`]: the lists of an upstream, until they change.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_server::Change;
use mcp_server::types::Revision;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::connection::LinkKey;

/// The maximum number of lists that are kept for one upstream.
const KEPT: usize = 256;

/// The maximum size of all of them.
const KEPT_BYTES: usize = 64 << 20;

/// The caller, the method, and the revision of the caller.
pub(crate) type ListKey = (LinkKey, &'static str, Revision);

/// The lists of an upstream, until they change.
#[derive(Default)]
pub(crate) struct ListCache(Mutex<CachedLists>);

#[derive(Default)]
struct CachedLists {
    /// The number of changes so far.
    generation: u64,
    lists: HashMap<ListKey, (Instant, Box<RawValue>)>,
}

impl ListCache {
    fn lists(&self) -> MutexGuard<'_, CachedLists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a list, or else the number of changes so far.
    pub(crate) fn get(&self, key: &ListKey) -> Result<Box<RawValue>, u64> {
        let cached = self.lists();
        match cached.lists.get(key) {
            Some((until, list)) if Instant::now() < *until => Ok(list.clone()),
            _ => Err(cached.generation),
        }
    }

    /// Keeps a list, unless something has changed since it was requested.
    pub(crate) fn insert(&self, key: ListKey, generation: u64, list: &RawValue, time: Duration) {
        let mut cached = self.lists();
        if time.is_zero() || cached.generation != generation {
            return;
        }
        let kept = cached.lists.values().map(|(_, list)| list.get().len());
        let bytes = kept.sum::<usize>().saturating_add(list.get().len());
        if cached.lists.len() >= KEPT || bytes > KEPT_BYTES {
            cached.lists.clear();
        }
        cached
            .lists
            .insert(key, (Instant::now() + time, list.to_owned()));
    }

    /// Forgets the lists if the change is one of a list.
    pub(crate) fn note(&self, change: &Change) {
        if matches!(change, Change::Tools | Change::Prompts | Change::Resources) {
            let mut cached = self.lists();
            cached.generation += 1;
            cached.lists.clear();
        }
    }
}
