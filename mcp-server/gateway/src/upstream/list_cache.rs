//! [`ListCache`]: the lists of an upstream, until they change.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_server::types::Revision;
use mcp_server::{Change, PeerKey};
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
    peer: PeerKey,
    until: Instant,
    items: Items,
    bytes: usize,
}

impl CachedLists {
    fn bytes(&self) -> usize {
        self.lists.values().map(|list| list.bytes).sum()
    }

    /// Removes a list of the peer that uses the most room.
    fn remove_one(&mut self) {
        let mut used: HashMap<&PeerKey, usize> = HashMap::new();
        for list in self.lists.values() {
            *used.entry(&list.peer).or_default() += list.bytes + KEPT_BYTES / KEPT;
        }
        let used = |list: &CachedList| used.get(&list.peer).copied();
        let lists = self.lists.iter();
        let removed = lists.max_by_key(|(_, list)| (used(list), Reverse(list.until)));
        if let Some(key) = removed.map(|(key, _)| key.clone()) {
            self.lists.remove(&key);
        }
    }
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

    /// Keeps a list for a peer, unless something has changed since it was requested. If there is no
    /// room, the peer with the most lists loses the one that is current for the shortest time.
    pub(crate) fn insert(
        &self,
        key: ListKey,
        peer: PeerKey,
        generation: u64,
        items: Items,
        time: Duration,
    ) {
        let mut cached = self.lists();
        let bytes = items.iter().map(|item| item.get().len()).sum();
        if time.is_zero() || cached.generation != generation || bytes > KEPT_BYTES {
            return;
        }
        while cached.lists.len() >= KEPT || cached.bytes().saturating_add(bytes) > KEPT_BYTES {
            cached.remove_one();
        }
        let list = CachedList {
            peer,
            until: Instant::now() + time,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::owner::Owner;

    fn key(owner: &str, capabilities: &str) -> ListKey {
        let key = LinkKey {
            owner: Owner::Principal(owner.to_owned()),
            capabilities: capabilities.to_owned(),
        };
        (key, "tools/list", Revision::LATEST)
    }

    #[test]
    fn lists_of_one_peer_replace_none_of_others() {
        let cache = ListCache::default();
        let items = || Items::from([RawValue::from_string("{}".to_owned()).expect("JSON")]);
        let insert = |owner: &str, capabilities: &str| {
            let peer = PeerKey::Principal(owner.to_owned());
            let hour = Duration::from_secs(3600);
            cache.insert(key(owner, capabilities), peer, 0, items(), hour);
        };
        insert("ada", "{}");
        for number in 0..2 * KEPT {
            insert("eve", &number.to_string());
        }
        assert!(cache.get(&key("ada", "{}")).is_ok());
        assert!(cache.get(&key("eve", &(2 * KEPT - 1).to_string())).is_ok());
        assert_eq!(cache.lists().lists.len(), KEPT);
    }
}
