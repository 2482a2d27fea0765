//! [`SessionStore`]: shares legacy sessions between the processes of one endpoint.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_types::{ClientCapabilities, Implementation, Revision, json};
use serde::{Deserialize, Serialize};

use crate::protocol::session::Session;
use crate::transport::http::stores::event_store::{StoreError, StoreFuture};

/// Stores the state of legacy sessions, so that any process can continue them.
///
/// Values are JSON texts in a private format of this crate. Without a store, a session exists only
/// in the process that created it. While a session is used, its value is written at least once per
/// half of [`Limits::session_idle_time`](field@crate::Limits::session_idle_time). A store may
/// remove values that were not written for twice that time.
pub trait SessionStore: Send + Sync + 'static {
    /// Writes the value of a session, replacing an older value.
    fn put<'a>(&'a self, session: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()>;

    /// Returns the value of a session, or `None` if the session is unknown.
    fn get<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Removes a session.
    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// A [`SessionStore`] in the memory of this process, for several servers in one process.
///
/// Stores at most 64 MiB. Beyond that it removes the sessions that were written longest ago.
#[derive(Default)]
pub struct MemorySessions(Mutex<StoredValues>);

/// The maximum size of all values in bytes, including their ids and table entries.
const ALL_BYTES: usize = 64 << 20;

#[derive(Default)]
struct StoredValues {
    by_id: HashMap<String, (u64, Vec<u8>)>,
    /// Ids by the increasing number of their latest write.
    by_age: BTreeMap<u64, String>,
    puts: u64,
    bytes: usize,
}

impl StoredValues {
    fn put(&mut self, id: &str, value: Vec<u8>) {
        self.remove(id);
        self.puts += 1;
        self.bytes += size(id, &value);
        self.by_age.insert(self.puts, id.to_owned());
        self.by_id.insert(id.to_owned(), (self.puts, value));
        while self.bytes > ALL_BYTES
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, id: &str) {
        if let Some((put, value)) = self.by_id.remove(id) {
            self.by_age.remove(&put);
            self.bytes -= size(id, &value);
        }
    }
}

/// Returns the size of a session in the table, in bytes.
fn size(id: &str, value: &[u8]) -> usize {
    2 * id.len() + value.len() + 256
}

impl MemorySessions {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn all(&self) -> MutexGuard<'_, StoredValues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemorySessions {
    fn put<'a>(&'a self, session: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()> {
        self.all().put(session, value);
        Box::pin(std::future::ready(Ok(())))
    }

    fn get<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        let value = self
            .all()
            .by_id
            .get(session)
            .map(|(_, value)| value.clone());
        Box::pin(std::future::ready(Ok(value)))
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.all().remove(session);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The stored state of a session.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    /// Absent if the session belongs to no principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    revision: String,
    client_info: Implementation,
    capabilities: ClientCapabilities,
    level: u8,
    resources: Vec<String>,
    /// The time of the latest use, in milliseconds since 1970.
    used: u64,
}

/// Creates the record of a new session.
pub(crate) fn record(session: &Session) -> Record {
    Record {
        principal: session.principal.as_deref().map(Into::into),
        revision: session.revision.as_str().to_owned(),
        client_info: session.client_info.clone(),
        capabilities: session.capabilities.clone(),
        level: session.level(),
        resources: session.subscriptions(),
        used: now(),
    }
}

/// Decodes the value of a session.
pub(crate) fn read(value: &[u8]) -> Result<Record, StoreError> {
    let text = std::str::from_utf8(value).map_err(|error| StoreError(Box::new(error)))?;
    json::from_str(text).map_err(|error| StoreError(Box::new(error)))
}

/// Creates a copy of a session that another process created.
pub(crate) fn restore(id: &str, record: Record) -> Result<Session, StoreError> {
    let unknown = |_| StoreError("the stored session has an unknown protocol version".into());
    let revision: Revision = record.revision.parse().map_err(unknown)?;
    let level = record.level;
    let text = |text: Result<String, _>| text.map_or(0, |text| text.len());
    let peer_bytes =
        text(json::to_string(&record.client_info)) + text(json::to_string(&record.capabilities));
    let session = Session::new(
        Some(id.into()),
        record.principal.map(Into::into),
        revision,
        peer_bytes,
        record.client_info,
        record.capabilities,
    );
    session.set_severity(level);
    // The server's requests get ids from a random start, because their responses may arrive at
    // another process, where they must not match the ids of its own requests.
    let mut first = [0; 8];
    getrandom::fill(&mut first).map_err(|error| StoreError(error.to_string().into()))?;
    let first = u64::from_le_bytes(first) >> 16;
    session.pending.begin_at(first.cast_signed());
    for uri in &record.resources {
        session.subscribe(uri, usize::MAX);
    }
    Ok(session)
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}

impl Record {
    /// Returns the principal that owns the session.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    /// Returns the time since any process used the session.
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_millis(now().saturating_sub(self.used))
    }

    /// Applies a change, and marks the session as used now.
    pub(crate) fn change(&mut self, delta: &SessionDelta) {
        self.used = now();
        self.level = delta.level.unwrap_or(self.level);
        self.resources.retain(|uri| !delta.removed.contains(uri));
        let known = delta
            .added
            .iter()
            .filter(|uri| !self.resources.contains(uri));
        let new: Vec<String> = known.cloned().collect();
        self.resources.extend(new);
    }

    /// Encodes the record for a store.
    pub(crate) fn value(&self) -> Result<Vec<u8>, StoreError> {
        let text = json::to_string(self).map_err(|error| StoreError(Box::new(error)))?;
        Ok(text.into_bytes())
    }
}

/// A change of a session. Several processes may change a session at once, so each sends only its
/// own changes.
#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionDelta {
    #[serde(default)]
    level: Option<u8>,
    #[serde(default)]
    added: Vec<String>,
    #[serde(default)]
    removed: Vec<String>,
}

impl SessionDelta {
    /// Decodes a change that another process sent.
    pub(crate) fn read(value: &[u8]) -> Result<Self, StoreError> {
        serde_json::from_slice(value).map_err(|error| StoreError(Box::new(error)))
    }

    /// Encodes the change for other processes.
    pub(crate) fn value(&self) -> Vec<u8> {
        // Encoding a number and strings does not fail.
        json::to_string(self).unwrap_or_default().into_bytes()
    }

    /// Applies the change to a copy of the session.
    pub(crate) fn apply(&self, session: &Session) {
        if let Some(level) = self.level {
            session.set_severity(level);
        }
        for uri in &self.removed {
            session.unsubscribe(uri);
        }
        for uri in &self.added {
            session.subscribe(uri, usize::MAX);
        }
    }
}

/// The changeable state of a session at an earlier time.
pub(crate) struct SessionSnapshot {
    level: u8,
    resources: Vec<String>,
}

impl SessionSnapshot {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            level: session.level(),
            resources: session.subscriptions(),
        }
    }

    /// Returns the changes since then.
    pub(crate) fn delta(&self, session: &Session) -> SessionDelta {
        let now = Self::of(session);
        let only = |these: &[String], others: &[String]| {
            let only = these.iter().filter(|uri| !others.contains(uri));
            only.cloned().collect()
        };
        SessionDelta {
            level: (now.level != self.level).then_some(now.level),
            added: only(&now.resources, &self.resources),
            removed: only(&self.resources, &now.resources),
        }
    }
}
