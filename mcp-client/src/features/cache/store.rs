//! [`Store`]: the cached results, which expire and are bounded in number and size.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::Revision;
use tokio::time::Instant;

/// The default number of results.
const ENTRIES: usize = 256;
/// The default bytes of results and keys.
const BYTES: usize = 8 << 20;
/// The approximate bytes of a result beside its text, version and key.
const OVERHEAD: usize = 160;
/// The longest time for which a result is cached: a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

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
    /// The revision in whose form the result is. Clients of one server may use different ones.
    pub(super) revision: Revision,
    pub(super) method: &'static str,
    pub(super) params: String,
}

struct Entry {
    /// The result as JSON.
    text: Arc<str>,
    ttl: Duration,
    /// The version of the contents, with which the server can be asked whether they are current.
    version: Option<Arc<str>>,
    /// `true` if the contents changed when they were last requested.
    is_changing: bool,
    /// When the result becomes stale.
    expiry: Instant,
    /// When it is dropped: a stale result is kept if it has a version.
    end: Instant,
    /// The number of the last use. Uses are counted.
    used: u64,
}

impl Entry {
    fn size(&self, key: &Key) -> usize {
        let version = self.version.as_ref().map_or(0, |version| version.len());
        OVERHEAD + key.params.len() + self.text.len() + version
    }

    /// Makes the result fresh again.
    fn renew(&mut self, now: Instant) {
        self.expiry = now + self.ttl.min(LONGEST);
        self.end = match self.version {
            Some(_) => now + LONGEST,
            None => self.expiry,
        };
    }
}

/// A result to be stored.
pub(super) struct NewResult {
    pub(super) text: Arc<str>,
    pub(super) ttl: Duration,
    pub(super) version: Option<String>,
    /// The generation of the method when the request was sent.
    pub(super) generation: u64,
}

/// A cached result.
pub(super) enum StoredResult {
    Fresh(Arc<str>),
    Stale {
        text: Arc<str>,
        version: Arc<str>,
        is_changing: bool,
    },
}

/// Results until their expiry, within limits.
pub(super) struct Store {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    /// The maximum number of results and of bytes.
    most: (usize, usize),
    clients: u64,
    uses: u64,
    /// How often the results of a method were invalidated. Results of requests that were sent
    /// before are not stored.
    generations: HashMap<&'static str, u64>,
    /// How often the results of all methods were invalidated.
    generation: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            bytes: 0,
            most: (ENTRIES, BYTES),
            clients: 0,
            uses: 0,
            generations: HashMap::new(),
            generation: 0,
        }
    }
}

impl Store {
    pub(super) fn set_limits(&mut self, entries: Option<usize>, bytes: Option<usize>) {
        self.most.0 = entries.unwrap_or(self.most.0);
        self.most.1 = bytes.unwrap_or(self.most.1);
        self.evict();
    }

    /// Returns the number of a new client.
    pub(super) fn next_client(&mut self) -> u64 {
        self.clients += 1;
        self.clients
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns a number that grows whenever results of a method are invalidated.
    pub(super) fn generation(&self, method: &str) -> u64 {
        self.generation + self.generations.get(method).copied().unwrap_or_default()
    }

    pub(super) fn get(&mut self, key: &Key, now: Instant) -> Option<StoredResult> {
        let entry = self.entries.get_mut(key)?;
        if now >= entry.end {
            self.remove(key);
            return None;
        }
        self.uses += 1;
        entry.used = self.uses;
        let text = Arc::clone(&entry.text);
        Some(match &entry.version {
            Some(version) if now >= entry.expiry => StoredResult::Stale {
                text,
                version: Arc::clone(version),
                is_changing: entry.is_changing,
            },
            _ => StoredResult::Fresh(text),
        })
    }

    /// Makes a result fresh again, because the server said that its version is current.
    pub(super) fn renew(&mut self, key: &Key, version: &str, now: Instant) {
        if let Some(entry) = self.entries.get_mut(key)
            && entry.version.as_deref() == Some(version)
        {
            entry.is_changing = false;
            entry.renew(now);
        }
    }

    /// Stores a result, unless it was invalidated after the request had been sent.
    pub(super) fn insert(&mut self, key: Key, new: NewResult, now: Instant) {
        if self.generation(key.method) != new.generation {
            return;
        }
        let version: Option<Arc<str>> = new.version.map(Arc::from);
        let old = self.entries.get(&key);
        let is_changing = old.is_some_and(|old| old.version != version);
        self.remove(&key);
        self.uses += 1;
        let mut entry = Entry {
            text: new.text,
            ttl: new.ttl,
            version,
            is_changing,
            expiry: now,
            end: now,
            used: self.uses,
        };
        entry.renew(now);
        if entry.size(&key) > self.most.1 {
            return;
        }
        self.bytes += entry.size(&key);
        self.entries.insert(key, entry);
        self.evict();
    }

    pub(super) fn remove(&mut self, key: &Key) {
        if let Some((key, entry)) = self.entries.remove_entry(key) {
            self.bytes -= entry.size(&key);
        }
    }

    /// Drops the results of a method whose keys match, because they changed.
    pub(super) fn invalidate(&mut self, method: &'static str, matches: impl Fn(&Key) -> bool) {
        *self.generations.entry(method).or_default() += 1;
        self.remove_where(|key| key.method == method && matches(key));
    }

    /// Drops the results of all methods whose keys match, because they changed.
    pub(super) fn invalidate_all(&mut self, matches: impl Fn(&Key) -> bool) {
        self.generation += 1;
        self.remove_where(matches);
    }

    /// Drops results whose keys match, although they are still valid.
    pub(super) fn remove_where(&mut self, matches: impl Fn(&Key) -> bool) {
        let bytes = &mut self.bytes;
        self.entries.retain(|key, entry| {
            let keep = !matches(key);
            if !keep {
                *bytes -= entry.size(key);
            }
            keep
        });
    }

    /// Drops the least recently used results. One pass suffices, however many are dropped.
    fn evict(&mut self) {
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
