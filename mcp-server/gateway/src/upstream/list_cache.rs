//! [`ListCache`]: the lists of an upstream, until they change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// The items of a list, as JSON.
pub(crate) type Items = Arc<[Box<RawValue>]>;

/// The caller, the method, and the revision of the caller.
pub(crate) type ListKey = (LinkKey, &'static str, Revision);

/// The lists of an upstream, until they change.
#[derive(Default)]
pub(crate) struct ListCache(Mutex<CachedLists>);

#[derive(Default)]
struct CachedLists {
    /// The number of changes so far.
    generation: u64,
    lists: HashMap<ListKey, CachedList>,
}

struct CachedList {
    until: Instant,
    items: Items,
    bytes: usize,
}

impl ListCache {
    fn lists(&self) -> MutexGuard<'_, CachedLists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a list, or else the number of changes so far.
    pub(crate) fn get(&self, key: &ListKey) -> Result<Items, u64> {
        let cached = self.lists();
        match cached.lists.get(key) {
            Some(list) if Instant::now() < list.until => Ok(Arc::clone(&list.items)),
            _ => Err(cached.generation),
        }
    }

    /// Keeps a list, unless something has changed since it was requested.
    pub(crate) fn insert(&self, key: ListKey, generation: u64, items: Items, time: Duration) {
        let mut cached = self.lists();
        if time.is_zero() || cached.generation != generation {
            return;
        }
        let bytes = items.iter().map(|item| item.get().len()).sum();
        let kept = cached.lists.values().map(|list| list.bytes);
        if cached.lists.len() >= KEPT || kept.sum::<usize>().saturating_add(bytes) > KEPT_BYTES {
            cached.lists.clear();
        }
        let until = Instant::now() + time;
        let list = CachedList {
            until,
            items,
            bytes,
        };
        cached.lists.insert(key, list);
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
