//! [`ListCache`]: the lists of an upstream, until they change.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_server::types::Revision;
use mcp_server::types::json::{self, Map};
use mcp_server::{Change, HandlerError, PeerKey};
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::connection::LinkKey;

/// The maximum number of lists that are kept for one upstream.
const KEPT: usize = 256;

/// The maximum size of all of them.
const KEPT_BYTES: usize = 64 << 20;

/// The items of a list, as JSON.
pub(crate) type Items = Arc<[Box<RawValue>]>;

/// A list, and what tells whether two of them differ.
#[derive(Clone)]
pub(crate) struct List {
    pub(crate) items: Items,
    pub(crate) digest: u64,
    caching: Caching,
    /// When the upstream has sent it.
    at: Instant,
}

impl List {
    pub(crate) fn new(items: Items, caching: Caching) -> Self {
        let digest = digest(&items);
        Self {
            items,
            digest,
            caching,
            at: Instant::now(),
        }
    }

    /// Returns for how long the list may be kept from now on, and for whom.
    pub(crate) fn remaining(&self) -> Caching {
        let age = u64::try_from(self.at.elapsed().as_millis()).unwrap_or(u64::MAX);
        Caching {
            time: self.caching.time.saturating_sub(age),
            is_public: self.caching.is_public,
        }
    }
}

/// Returns the digest of items. It differs between processes.
pub(crate) fn digest(items: &[Box<RawValue>]) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    let texts: Vec<&str> = items.iter().map(|item| item.get()).collect();
    HASHER.hash_one(texts)
}

/// The member of results that says for whom they may be kept.
const SCOPE: &str = "cacheScope";

/// States that a result is for one client only, if it states for whom it is.
pub(crate) fn set_private(result: &mut Map<Box<RawValue>>) -> Result<(), HandlerError> {
    if result.contains_key(SCOPE) {
        result.insert(SCOPE, json::to_raw("private")?);
    }
    Ok(())
}

/// For how long a list may be kept, and for whom, as its upstream says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caching {
    /// The smallest `ttlMs` of the pages; zero if a page states none.
    pub(crate) time: u64,
    /// Whether all pages have the `cacheScope` `public`.
    pub(crate) is_public: bool,
}

impl Caching {
    /// What a list states that needs no upstream. The time is five minutes.
    pub(crate) const ANY: Self = Self {
        time: 300_000,
        is_public: true,
    };

    /// Returns what a list states before those of upstreams are added. One from which upstreams are
    /// missing must not be kept.
    pub(crate) fn known(is_whole: bool) -> Self {
        Self {
            time: if is_whole { Self::ANY.time } else { 0 },
            ..Self::ANY
        }
    }

    /// Returns what a list states that differs between clients unless `is_public`.
    pub(crate) fn for_all(self, is_public: bool) -> Self {
        Self {
            is_public: self.is_public && is_public,
            ..self
        }
    }

    /// Returns what the more cautious one of two lists states.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            time: self.time.min(other.time),
            is_public: self.is_public && other.is_public,
        }
    }
}

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
    list: List,
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

    /// Returns a list that is current.
    pub(crate) fn get(&self, key: &ListKey) -> Option<List> {
        let cached = self.lists();
        let kept = cached.lists.get(key);
        let kept = kept.filter(|kept| Instant::now() < kept.until);
        kept.map(|kept| kept.list.clone())
    }

    /// Returns the last list, although it may have changed.
    pub(crate) fn last(&self, key: &ListKey) -> Option<List> {
        let cached = self.lists();
        cached.lists.get(key).map(|kept| kept.list.clone())
    }

    /// Returns the number of changes so far.
    pub(crate) fn generation(&self) -> u64 {
        self.lists().generation
    }

    /// Keeps a list for a peer, unless something has changed since it was requested. If there is no
    /// room, the peer with the most lists loses the one that is current for the shortest time.
    pub(crate) fn insert(
        &self,
        key: ListKey,
        peer: PeerKey,
        generation: u64,
        list: List,
        time: Duration,
    ) {
        let mut cached = self.lists();
        let bytes = list.items.iter().map(|item| item.get().len()).sum();
        cached.lists.remove(&key);
        if cached.generation != generation || bytes > KEPT_BYTES {
            return;
        }
        while cached.lists.len() >= KEPT || cached.bytes().saturating_add(bytes) > KEPT_BYTES {
            cached.remove_one();
        }
        let kept = CachedList {
            peer,
            until: Instant::now() + time,
            list,
            bytes,
        };
        cached.lists.insert(key, kept);
    }

    /// Notes a change: if it is one of a list, no list is current any more.
    pub(crate) fn note(&self, change: &Change) {
        if matches!(change, Change::Tools | Change::Prompts | Change::Resources) {
            self.expire();
        }
    }

    /// Notes that all lists may have changed.
    pub(crate) fn expire(&self) {
        let mut cached = self.lists();
        cached.generation += 1;
        let now = Instant::now();
        for kept in cached.lists.values_mut() {
            kept.until = now;
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
        let list = || {
            let items = Items::from([RawValue::from_string("{}".to_owned()).expect("JSON")]);
            List::new(items, Caching::ANY)
        };
        let insert = |owner: &str, capabilities: &str| {
            let peer = PeerKey::Principal(owner.to_owned());
            let hour = Duration::from_secs(3600);
            cache.insert(key(owner, capabilities), peer, 0, list(), hour);
        };
        insert("ada", "{}");
        for number in 0..2 * KEPT {
            insert("eve", &number.to_string());
        }
        assert!(cache.get(&key("ada", "{}")).is_some());
        let newest = key("eve", &(2 * KEPT - 1).to_string());
        assert!(cache.get(&newest).is_some());
        assert_eq!(cache.lists().lists.len(), KEPT);
    }
}
