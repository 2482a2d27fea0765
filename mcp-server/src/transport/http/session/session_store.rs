//! [`SessionStore`]: what the processes that serve one endpoint know of each other's sessions.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_types::{ClientCapabilities, Implementation, Revision, json};
use serde::{Deserialize, Serialize};

use super::event_store::{StoreError, StoreFuture};
use crate::protocol::session::Session;

/// Keeps what a legacy session established, so that any process can go on with it.
///
/// Values are JSON texts of ours. Without a store, a session is known to its process alone. While
/// a session is used, its value is put again at least once in half of
/// [`Limits::session_idle_time`](crate::Limits); what was not put for twice that time may be
/// forgotten.
pub trait SessionStore: Send + Sync + 'static {
    /// Keeps the value of a session, in place of the one before.
    fn put<'a>(&'a self, session: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()>;

    /// The value of a session; `None` for one that is not known.
    fn get<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Forgets a session.
    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// Sessions in the memory of this process: for several servers in one.
///
/// At most 64 MiB of values are kept. Beyond that, the sessions that were put longest ago are
/// forgotten.
#[derive(Default)]
pub struct MemorySessions(Mutex<Values>);

/// Bytes of values that are kept in memory, each with its id and place in the table.
const ALL_BYTES: usize = 64 << 20;

#[derive(Default)]
struct Values {
    by_id: HashMap<String, (u64, Vec<u8>)>,
    /// Ids by when they were put, in numbers that only grow.
    by_age: BTreeMap<u64, String>,
    puts: u64,
    bytes: usize,
}

impl Values {
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

/// Bytes of a session in the table.
fn size(id: &str, value: &[u8]) -> usize {
    2 * id.len() + value.len() + 256
}

impl MemorySessions {
    /// Holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn all(&self) -> MutexGuard<'_, Values> {
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

/// A session as it is kept.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    /// Absent in records that older releases wrote: those belong to no principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    revision: String,
    client_info: Implementation,
    capabilities: ClientCapabilities,
    level: u8,
    resources: Vec<String>,
    /// When it was used, in milliseconds since 1970.
    used: u64,
}

/// The record of a session that begins.
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

/// The record in a value.
pub(crate) fn read(value: &[u8]) -> Result<Record, StoreError> {
    let text = std::str::from_utf8(value).map_err(|error| StoreError(Box::new(error)))?;
    json::from_str(text).map_err(|error| StoreError(Box::new(error)))
}

/// A copy of a session that another process began.
pub(crate) fn restore(id: &str, record: Record) -> Result<Session, StoreError> {
    let unknown = |_| StoreError("a revision that is not known".into());
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
    // Ids of our requests are of this process alone: its answers may come by way of another.
    let mut first = [0; 8];
    getrandom::fill(&mut first).map_err(|error| StoreError(error.to_string().into()))?;
    session.pending.begin_at(u64::from_le_bytes(first) >> 16);
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
    /// The principal that the session belongs to.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    /// How long no process used it.
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_millis(now().saturating_sub(self.used))
    }

    /// Notes what changed, and that the session is used.
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

    /// The value for a store.
    pub(crate) fn value(&self) -> Result<Vec<u8>, StoreError> {
        let text = json::to_string(self).map_err(|error| StoreError(Box::new(error)))?;
        Ok(text.into_bytes())
    }
}

/// What changed in a session. Two processes may change it at once: each tells the others no more
/// than its own part.
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
    /// The one that another process told of.
    pub(crate) fn read(value: &[u8]) -> Result<Self, StoreError> {
        serde_json::from_slice(value).map_err(|error| StoreError(Box::new(error)))
    }

    /// The text for other processes.
    pub(crate) fn value(&self) -> Vec<u8> {
        // A number and texts can always be written.
        json::to_string(self).unwrap_or_default().into_bytes()
    }

    /// Changes a copy of the session in the same way.
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

/// What can change in a session, as it was.
pub(crate) struct Before {
    level: u8,
    resources: Vec<String>,
}

impl Before {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            level: session.level(),
            resources: session.subscriptions(),
        }
    }

    /// What changed since.
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
