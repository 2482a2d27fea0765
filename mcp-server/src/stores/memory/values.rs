//! [`MemoryValues`]: values by key in memory.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};

use tokio::time::Instant;

use crate::protocol::store::{
    Condition, Put, PutOutcome, StoreError, StoreFuture, ValueStore, VersionedValue,
};
use crate::util::lock::lock;

/// The maximum size of all values in bytes, including their keys and table entries.
const ALL_BYTES: usize = 64 << 20;

/// A [`ValueStore`] in the memory of this process.
#[derive(Default)]
pub(crate) struct MemoryValues(Mutex<Table>);

#[derive(Default)]
struct Table {
    by_key: HashMap<String, StoredEntry>,
    /// All keys by the time when they expire.
    by_end: BTreeSet<(Instant, String)>,
    /// The keys of each group by the time when they expire.
    groups: HashMap<String, BTreeSet<(Instant, String)>>,
    bytes: usize,
    /// The version of the latest write of any key.
    version: u64,
}

struct StoredEntry {
    value: Vec<u8>,
    version: u64,
    end: Instant,
    group: Option<String>,
}

impl MemoryValues {
    /// Returns the table, without what has expired.
    fn table(&self) -> MutexGuard<'_, Table> {
        let mut table = lock(&self.0);
        let now = Instant::now();
        while let Some((end, key)) = table.by_end.first()
            && *end <= now
        {
            let key = key.clone();
            table.remove(&key);
        }
        table
    }
}

impl Table {
    fn put(&mut self, put: &Put<'_>) -> Result<PutOutcome, StoreError> {
        let known = self.by_key.get(put.key);
        let holds = match put.condition {
            Condition::Any => true,
            Condition::Absent => known.is_none(),
            Condition::Version(version) => known.is_some_and(|known| known.version == version),
        };
        if !holds {
            return Ok(PutOutcome::Conflict);
        }
        if let Some(group) = put.group
            && known.is_none()
            && self.groups.get(group.name).map_or(0, BTreeSet::len) >= group.most
        {
            return Ok(PutOutcome::GroupFull);
        }
        let before = known.map_or(0, |known| size(put.key, &known.value));
        let after = self.bytes - before + size(put.key, put.value);
        if after > ALL_BYTES {
            return Err(StoreError::failed(format!(
                "more than {ALL_BYTES} bytes of values are in memory"
            )));
        }
        self.remove(put.key);
        self.bytes += size(put.key, put.value);
        self.version += 1;
        let end = Instant::now() + put.time_to_live;
        self.by_end.insert((end, put.key.to_owned()));
        if let Some(group) = put.group {
            let keys = self.groups.entry(group.name.to_owned()).or_default();
            keys.insert((end, put.key.to_owned()));
        }
        let entry = StoredEntry {
            value: put.value.to_vec(),
            version: self.version,
            end,
            group: put.group.map(|group| group.name.to_owned()),
        };
        self.by_key.insert(put.key.to_owned(), entry);
        Ok(PutOutcome::Written(self.version))
    }

    fn remove(&mut self, key: &str) -> bool {
        let Some((key, entry)) = self.by_key.remove_entry(key) else {
            return false;
        };
        self.bytes -= size(&key, &entry.value);
        let at = (entry.end, key);
        self.by_end.remove(&at);
        if let Some(group) = entry.group
            && let Some(keys) = self.groups.get_mut(&group)
        {
            keys.remove(&at);
            if keys.is_empty() {
                self.groups.remove(&group);
            }
        }
        true
    }
}

/// Returns the size of a value in the table, in bytes.
fn size(key: &str, value: &[u8]) -> usize {
    4 * key.len() + value.len() + 512
}

impl ValueStore for MemoryValues {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        let found = self.table().by_key.get(key).map(|entry| VersionedValue {
            value: entry.value.clone(),
            version: entry.version,
        });
        Box::pin(std::future::ready(Ok(found)))
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(std::future::ready(self.table().put(&put)))
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        let removed = self.table().remove(key);
        Box::pin(std::future::ready(Ok(removed)))
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        let table = self.table();
        let keys = table.groups.get(group).into_iter().flatten();
        let keys = keys.take(most).map(|(_, key)| key.clone()).collect();
        Box::pin(std::future::ready(Ok(keys)))
    }
}
