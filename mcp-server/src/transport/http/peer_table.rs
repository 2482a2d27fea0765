//! [`PeerTable`]: a bounded table that evicts the entry that has been idle for longest.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use crate::protocol::quota::peer_key::PeerKey;

/// The number of longest idle entries that a scan of all entries collects, so that not every
/// eviction has to scan.
const COLLECTED: usize = 64;

/// An entry that can be evicted while it is idle.
pub(crate) trait Idle {
    /// A point in time, measured by any clock.
    type Since: Copy + Ord;

    /// Returns the time since which the entry is idle, or `None` while it is in use.
    fn idle_since(&self) -> Option<Self::Since>;
}

/// A bounded table with a limit for each peer.
pub(crate) struct PeerTable<K, T: Idle> {
    limit: usize,
    limit_per_peer: usize,
    entries: HashMap<K, (T, PeerKey)>,
    by_peer: HashMap<PeerKey, PeerEntries<K, T::Since>>,
    idle: IdleQueue<K, T::Since>,
}

struct PeerEntries<K, S> {
    keys: HashSet<K>,
    idle: IdleQueue<K, S>,
}

/// The error if no entry can be evicted, because all are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AllBusy;

impl<K: Clone + Eq + Hash, T: Idle> PeerTable<K, T> {
    pub(crate) fn new(limit: usize, limit_per_peer: usize) -> Self {
        Self {
            limit,
            limit_per_peer,
            entries: HashMap::new(),
            by_peer: HashMap::new(),
            idle: IdleQueue::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&T>
    where
        K: Borrow<Q>,
    {
        self.entries.get(key).map(|(entry, _)| entry)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &T)> {
        self.entries.iter().map(|(key, (entry, _))| (key, entry))
    }

    /// Makes room for an entry of a peer, and returns the entry that was evicted for it.
    ///
    /// If the peer has reached its limit, one of its own entries is evicted. Peers that cannot be
    /// distinguished have no limit.
    ///
    /// # Errors
    ///
    /// [`AllBusy`] if all entries in question are in use.
    pub(crate) fn make_room(&mut self, peer: &PeerKey) -> Result<Option<T>, AllBusy> {
        let own = self.by_peer.get(peer).map_or(0, |own| own.keys.len());
        if own >= self.limit_per_peer && *peer != PeerKey::Unknown {
            return self.evict_of(peer).map(Some);
        }
        if self.entries.len() < self.limit {
            return Ok(None);
        }
        self.evict_any().map(Some)
    }

    /// Adds an entry. Call [`make_room`](Self::make_room) before.
    pub(crate) fn insert(&mut self, key: K, peer: PeerKey, entry: T) {
        let own = self
            .by_peer
            .entry(peer.clone())
            .or_insert_with(|| PeerEntries {
                keys: HashSet::new(),
                idle: IdleQueue::default(),
            });
        own.keys.insert(key.clone());
        self.entries.insert(key, (entry, peer));
    }

    pub(crate) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<T>
    where
        K: Borrow<Q>,
    {
        let (entry, peer) = self.entries.remove(key)?;
        if let Some(own) = self.by_peer.get_mut(&peer) {
            own.keys.remove(key);
            if own.keys.is_empty() {
                self.by_peer.remove(&peer);
            }
        }
        Some(entry)
    }

    /// Removes the entry that has been idle for longest.
    pub(crate) fn evict_any(&mut self) -> Result<T, AllBusy> {
        let entries = &self.entries;
        let key = self.idle.next(entries, || entries.keys());
        key.and_then(|key| self.remove(&key)).ok_or(AllBusy)
    }

    /// Removes the entry of a peer that has been idle for longest.
    pub(crate) fn evict_of(&mut self, peer: &PeerKey) -> Result<T, AllBusy> {
        let entries = &self.entries;
        let key = self.by_peer.get_mut(peer).and_then(|own| {
            let PeerEntries { keys, idle } = own;
            idle.next(entries, || keys.iter())
        });
        key.and_then(|key| self.remove(&key)).ok_or(AllBusy)
    }
}

/// The entries that were idle for longest at the last scan of all entries.
struct IdleQueue<K, S>(VecDeque<(S, K)>);

impl<K, S> Default for IdleQueue<K, S> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: Clone + Eq + Hash, S: Copy + Ord> IdleQueue<K, S> {
    /// Returns the key of the entry that has been idle for longest.
    fn next<'a, T, I>(
        &mut self,
        entries: &HashMap<K, (T, PeerKey)>,
        all: impl FnOnce() -> I,
    ) -> Option<K>
    where
        K: 'a,
        T: Idle<Since = S>,
        I: Iterator<Item = &'a K>,
    {
        let idle_since = |key: &K| entries.get(key)?.0.idle_since();
        while let Some((since, key)) = self.0.pop_front() {
            // Skips entries that were used or removed since. All others became idle later.
            if idle_since(&key) == Some(since) {
                return Some(key);
            }
        }
        let mut idle: Vec<(S, &K)> = all()
            .filter_map(|key| Some((idle_since(key)?, key)))
            .collect();
        if idle.len() > COLLECTED {
            idle.select_nth_unstable_by_key(COLLECTED, |(since, _)| *since);
            idle.truncate(COLLECTED);
        }
        idle.sort_unstable_by_key(|(since, _)| *since);
        self.0 = idle
            .into_iter()
            .map(|(since, key)| (since, key.clone()))
            .collect();
        self.0.pop_front().map(|(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[derive(Clone, Default)]
    struct Since(Rc<Cell<Option<u32>>>);

    impl Idle for Since {
        type Since = u32;

        fn idle_since(&self) -> Option<u32> {
            self.0.get()
        }
    }

    fn peer(last: u8) -> PeerKey {
        PeerKey::at([127, 0, 0, last].into())
    }

    #[test]
    fn entries_are_evicted_in_the_order_in_which_they_became_idle() {
        let mut table = PeerTable::new(200, 1_000);
        let entries: Vec<Since> = (0..200).map(|_| Since::default()).collect();
        for (key, entry) in entries.iter().enumerate() {
            // 37 and 200 have no common divisor: each time is there once.
            let since = u32::try_from(key * 37 % 200).expect("small");
            entry.0.set(Some(since));
            table.insert(key, peer(1), entry.clone());
        }
        entries[0].0.set(None);
        for expected in 1..150 {
            let evicted = table
                .make_room(&peer(2))
                .expect("room")
                .expect("it was full");
            assert_eq!(evicted.idle_since(), Some(expected));
            table.insert(1_000 + expected as usize, peer(2), Since::default());
        }
        // Used meanwhile, and idle again later than all others.
        for entry in &entries {
            entry.0.set(entry.0.get().map(|_| 999));
        }
        let evicted = table
            .make_room(&peer(2))
            .expect("room")
            .expect("it was full");
        assert_eq!(evicted.idle_since(), Some(999));
    }

    #[test]
    fn peer_at_its_limit_loses_its_own_entry() {
        let mut table = PeerTable::new(10, 2);
        for (key, owner, since) in [(1, 1, Some(1)), (2, 2, Some(2)), (3, 2, Some(3))] {
            let entry = Since::default();
            entry.0.set(since);
            table.insert(key, peer(owner), entry);
        }
        let evicted = table.make_room(&peer(2)).expect("room").expect("its share");
        assert_eq!(evicted.idle_since(), Some(2));
        assert!(table.make_room(&peer(1)).expect("room").is_none());
        table.insert(4, peer(2), Since::default());
        assert_eq!(table.len(), 3);
        let evicted = table.make_room(&peer(2)).expect("room").expect("its share");
        assert_eq!(evicted.idle_since(), Some(3));
        table.insert(5, peer(2), Since::default());
        assert!(table.make_room(&peer(2)).is_err());
    }
}
