//! [`Store`]: the cached results and their expiry.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::time::Instant;

/// The default number of results.
const ENTRIES: usize = 256;
/// The default bytes of results and keys.
const BYTES: usize = 8 << 20;
/// The approximate bytes of a result beside its text and key.
const OVERHEAD: usize = 128;

/// Which clients may use a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// One client.
    Own(u64),
    /// All clients of a server with the same capabilities.
    Shared {
        server: Arc<str>,
        capabilities: Arc<str>,
    },
}

/// The key of a result.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) scope: Scope,
    pub(super) method: &'static str,
    pub(super) params: String,
}

struct Entry {
    text: Arc<str>,
    until: Instant,
    /// When it was last used, as a number that grows.
    used: u64,
}

impl Entry {
    fn size(&self, key: &Key) -> usize {
        OVERHEAD + key.params.len() + self.text.len()
    }
}

/// Results until their expiry, within limits.
pub(super) struct Store {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    most: (usize, usize),
    clients: u64,
    uses: u64,
    /// How often results of a method were dropped because they changed. What was asked for before
    /// is not kept.
    ages: HashMap<&'static str, u64>,
    /// The same for all methods at once.
    age: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            bytes: 0,
            most: (ENTRIES, BYTES),
            clients: 0,
            uses: 0,
            ages: HashMap::new(),
            age: 0,
        }
    }
}

impl Store {
    pub(super) fn limit(&mut self, entries: Option<usize>, bytes: Option<usize>) {
        self.most.0 = entries.unwrap_or(self.most.0);
        self.most.1 = bytes.unwrap_or(self.most.1);
        self.make_room();
    }

    /// Returns the number of a new client.
    pub(super) fn client(&mut self) -> u64 {
        self.clients += 1;
        self.clients
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Grows whenever what a method gave may have changed.
    pub(super) fn age(&self, method: &str) -> u64 {
        self.age + self.ages.get(method).copied().unwrap_or_default()
    }

    pub(super) fn get(&mut self, key: &Key, now: Instant) -> Option<Arc<str>> {
        let entry = self.entries.get_mut(key)?;
        if now >= entry.until {
            self.remove(key);
            return None;
        }
        self.uses += 1;
        entry.used = self.uses;
        Some(Arc::clone(&entry.text))
    }

    /// Stores a result whose request was sent at an age.
    pub(super) fn put(&mut self, key: Key, text: &str, until: Instant, age: u64) {
        if self.age(key.method) != age {
            return;
        }
        self.remove(&key);
        self.uses += 1;
        let used = self.uses;
        let text = Arc::from(text);
        let entry = Entry { text, until, used };
        if entry.size(&key) > self.most.1 {
            return;
        }
        self.bytes += entry.size(&key);
        self.entries.insert(key, entry);
        self.make_room();
    }

    fn remove(&mut self, key: &Key) {
        if let Some((key, entry)) = self.entries.remove_entry(key) {
            self.bytes -= entry.size(&key);
        }
    }

    /// Drops the results of a method whose keys match `which`, because they changed.
    pub(super) fn changed(&mut self, method: &'static str, which: impl Fn(&Key) -> bool) {
        *self.ages.entry(method).or_default() += 1;
        self.leave(|key| key.method == method && which(key));
    }

    /// Drops the results of any method whose keys match `which`, because they changed.
    pub(super) fn forget(&mut self, which: impl Fn(&Key) -> bool) {
        self.age += 1;
        self.leave(which);
    }

    /// Drops results whose keys match `which`.
    pub(super) fn leave(&mut self, which: impl Fn(&Key) -> bool) {
        let bytes = &mut self.bytes;
        self.entries.retain(|key, entry| {
            let keep = !which(key);
            if !keep {
                *bytes -= entry.size(key);
            }
            keep
        });
    }

    /// Drops the least recently used results. One pass suffices, however many are dropped.
    fn make_room(&mut self) {
        let (mut count, mut bytes) = (self.entries.len(), self.bytes);
        if count <= self.most.0 && bytes <= self.most.1 {
            return;
        }
        let sizes = self.entries.iter();
        let mut sizes: Vec<_> = sizes
            .map(|(key, entry)| (entry.used, entry.size(key)))
            .collect();
        sizes.sort_unstable();
        let mut last = None;
        for (used, size) in sizes {
            if count <= self.most.0 && bytes <= self.most.1 {
                break;
            }
            count -= 1;
            bytes -= size;
            last = Some(used);
        }
        self.entries.retain(|_, entry| Some(entry.used) > last);
        self.bytes = bytes;
    }
}
