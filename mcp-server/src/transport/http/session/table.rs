//! [`Sessions`]: the legacy sessions of this process, and those that it finds in the store.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use super::event_store::{EventStore, StoreError};
use super::session_store::{Record, SessionStore, read, record, restore};
use crate::protocol::core::Core;
use crate::protocol::error_text::Chain;
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::quota::{Gauge, PeerUsage};
use crate::protocol::session::Session;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::peer_table::PeerTable;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::session_store::SessionDelta;
use crate::transport::http::session::watch::Watch;

/// The sessions of an endpoint.
pub(crate) struct Sessions {
    all: Mutex<PeerTable<String, Arc<SessionHandle>>>,
    pub(crate) server: Arc<Core>,
    pub(crate) store: Option<Arc<dyn SessionStore>>,
    pub(crate) events: Arc<dyn EventStore>,
    /// Whether no other process has the events.
    pub(crate) events_are_local: bool,
    pub(crate) idle_time: Duration,
    pub(crate) watch: Watch,
}

/// What became of a session that was to be added.
struct Added {
    /// `None` where there is no place.
    entry: Option<Arc<SessionHandle>>,
    /// The sessions that gave way.
    gone: Vec<Arc<SessionHandle>>,
}

/// What became of a session.
pub(crate) enum SessionLookup {
    Here(Arc<SessionHandle>),
    /// Nobody used it for so long that it is over, and to be ended everywhere.
    Expired,
    Unknown,
    /// There is no place for a copy.
    NoPlace,
}

impl Sessions {
    pub(crate) fn new(
        server: &Arc<Core>,
        config: &HttpConfig,
        events: Arc<dyn EventStore>,
    ) -> Self {
        let limits = server.limits();
        Self {
            all: Mutex::new(PeerTable::new(limits.sessions, limits.sessions_per_peer)),
            server: server.clone(),
            store: config.sessions.clone(),
            events,
            events_are_local: config.events.is_none(),
            idle_time: limits.session_idle_time,
            watch: Watch::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, PeerTable<String, Arc<SessionHandle>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session that a peer begins; `None` where there is no place for it.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        session: Arc<Session>,
        peer: Arc<PeerUsage>,
    ) -> Option<Arc<SessionHandle>> {
        let added = self.add(session, peer);
        // Sessions begin no faster than the stores forget those that give way.
        self.finish_all(added.gone).await;
        let entry = added.entry?;
        self.watch();
        if let Some(store) = &self.store
            && let Some(_writing) = entry.session.writes.begin()
        {
            put(&**store, entry.id(), &record(&entry.session)).await;
        }
        Some(entry)
    }

    /// Adds a session, unless another request has added it meanwhile. Where there is no place, the
    /// session that has been idle for longest is taken out: the peer's own one if it has its share.
    fn add(&self, session: Arc<Session>, peer: Arc<PeerUsage>) -> Added {
        let mut all = self.all();
        let id = session.id.as_deref().unwrap_or_default();
        if let Some(entry) = all.get(id) {
            return Added {
                entry: Some(Arc::clone(entry)),
                gone: Vec::new(),
            };
        }
        let Ok(gone) = all.make_room(peer.key()) else {
            return Added {
                entry: None,
                gone: Vec::new(),
            };
        };
        let mut gone = Vec::from_iter(gone);
        let fits = make_room(&mut all, &peer, session.memory(), &mut gone);
        let entry = fits.then(|| {
            let key = peer.key().clone();
            let entry = SessionHandle::new(session, peer);
            all.insert(entry.id().to_owned(), key, Arc::clone(&entry));
            entry
        });
        drop(all);
        for gone in &gone {
            gone.end();
        }
        Added { entry, gone }
    }

    /// Counts the memory of a session that has changed. Others give way where it is too much; where
    /// all others are in use, the session itself ends.
    pub(crate) async fn weigh(self: &Arc<Self>, entry: &SessionHandle) {
        entry.retained.set(entry.session.memory());
        let mut gone = Vec::new();
        let fits = make_room(&mut self.all(), &entry.peer, 0, &mut gone);
        if !fits {
            tracing::warn!("a session is closed: sessions keep too much memory");
            gone.extend(self.all().remove(entry.id()));
        }
        for gone in &gone {
            gone.end();
        }
        self.finish_all(gone).await;
    }

    /// Takes a session out of the table, and ends its work.
    pub(crate) fn take(&self, id: &str) -> Option<Arc<SessionHandle>> {
        let entry = self.all().remove(id);
        entry.inspect(|entry| entry.end())
    }

    /// As [`take`](Self::take), unless somebody has used the session meanwhile.
    pub(crate) fn take_expired(&self, id: &str) -> Option<Arc<SessionHandle>> {
        let entry = {
            let mut all = self.all();
            let expired = all.get(id).is_some_and(|entry| self.is_idle(entry));
            expired.then(|| all.remove(id)).flatten()
        };
        entry.inspect(|entry| entry.end())
    }

    pub(crate) fn has_any(&self) -> bool {
        self.all().len() > 0
    }

    /// The sessions that nobody used for so long that they have expired, as far as this process
    /// knows.
    pub(crate) fn expired(&self) -> Vec<String> {
        let all = self.all();
        let idle = all.iter().filter(|(_, entry)| self.is_idle(entry));
        idle.map(|(id, _)| id.clone()).collect()
    }

    fn is_idle(&self, entry: &SessionHandle) -> bool {
        entry.idle().is_some_and(|idle| idle >= self.idle_time)
    }

    pub(crate) async fn is_used_elsewhere(&self, id: &str) -> bool {
        let record = self.stored(id).await;
        record.is_some_and(|record| record.idle() < self.idle_time)
    }

    /// How many sessions this process has.
    pub(crate) fn len(&self) -> usize {
        self.all().len()
    }

    /// A session of this process.
    pub(crate) fn here(&self, id: &str) -> Option<Arc<SessionHandle>> {
        self.all().get(id).cloned()
    }

    /// Finds a session of `principal`, also one that another process began. To other principals
    /// it is unknown, and their requests do not keep it alive.
    pub(crate) async fn find(self: &Arc<Self>, id: &str, principal: Option<&str>) -> SessionLookup {
        if let Some(entry) = self.here(id) {
            if entry.principal() != principal {
                return SessionLookup::Unknown;
            }
            // Boxes for what is rare.
            if !entry.is_used_within(self.idle_time) {
                if !Box::pin(self.is_used_elsewhere(id)).await {
                    return SessionLookup::Expired;
                }
                entry.touch();
            }
            if self.store.is_some() && entry.is_unsaved_for(self.idle_time / 4) {
                Box::pin(self.change(&entry, &SessionDelta::default())).await;
            }
            return SessionLookup::Here(entry);
        }
        let Some(record) = Box::pin(self.stored(id)).await else {
            return SessionLookup::Unknown;
        };
        if record.principal() != principal {
            return SessionLookup::Unknown;
        }
        if record.idle() >= self.idle_time {
            return SessionLookup::Expired;
        }
        let session = match restore(id, record) {
            Ok(session) => Arc::new(session),
            Err(error) => {
                unreadable(&error);
                return SessionLookup::Unknown;
            }
        };
        // Where it began is not known here.
        let key = PeerKey::of_http(session.principal.as_deref(), None);
        let added = self.add(session, self.server.peers.usage(key));
        // The session goes on at other processes.
        for gone in added.gone {
            Box::pin(self.forget_events(gone.id())).await;
        }
        let Some(entry) = added.entry else {
            return SessionLookup::NoPlace;
        };
        self.watch();
        // Another process may have ended the session before it could see that there is a copy here.
        if Box::pin(self.stored(id)).await.is_none() {
            Box::pin(self.forget(id)).await;
            return SessionLookup::Unknown;
        }
        SessionLookup::Here(entry)
    }

    async fn stored(&self, id: &str) -> Option<Record> {
        stored(&**self.store.as_ref()?, id).await
    }

    /// Notes what changed in a session where all processes see it.
    pub(crate) async fn change(&self, entry: &SessionHandle, delta: &SessionDelta) {
        if let Some(store) = &self.store {
            change(&**store, entry, delta).await;
        }
    }

    /// Lets other processes know that a session is used as long as connections read its streams.
    pub(crate) fn stay(
        &self,
        entry: &Arc<SessionHandle>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let store = self.store.clone();
        let entry = Arc::downgrade(entry);
        let time = (self.idle_time / 4).max(Duration::from_secs(1));
        async move {
            let Some(store) = store else {
                return std::future::pending().await;
            };
            loop {
                sleep(time).await;
                let Some(entry) = entry.upgrade() else {
                    return;
                };
                if entry.idle().is_none() && entry.is_unsaved_for(time) {
                    // A box for what is rare.
                    Box::pin(change(&*store, &entry, &SessionDelta::default())).await;
                }
            }
        }
    }
}

/// Takes out the sessions that have been idle for longest, until `bytes` of memory are there for a
/// peer: its own ones if it has its share. Returns `false` where too many are in use.
fn make_room(
    all: &mut PeerTable<String, Arc<SessionHandle>>,
    peer: &PeerUsage,
    bytes: usize,
    gone: &mut Vec<Arc<SessionHandle>>,
) -> bool {
    let limit = peer.limits().retained_bytes;
    let share = peer.share(limit / 4);
    // What is taken out is counted until its last connection drops it.
    let (mut own, mut total) = (0, 0);
    let mut count = |entry: &SessionHandle| {
        total += entry.retained.get();
        if entry.peer.key() == peer.key() {
            own += entry.retained.get();
        }
        (own, total)
    };
    let mut freed = gone
        .iter()
        .map(|entry| count(entry))
        .last()
        .unwrap_or_default();
    loop {
        let (own, total) = freed;
        let kept = |gauge: &Gauge, freed| gauge.get().saturating_sub(freed).saturating_add(bytes);
        let evicted = if kept(&peer.retained_bytes, own) > share {
            all.evict_of(peer.key())
        } else if kept(&peer.all().retained_bytes, total) > limit {
            all.evict_any()
        } else {
            return true;
        };
        let Ok(entry) = evicted else {
            return false;
        };
        freed = count(&entry);
        gone.push(entry);
    }
}

async fn stored(store: &dyn SessionStore, id: &str) -> Option<Record> {
    let value = store.get(id).await;
    let record = value.and_then(|value| value.as_deref().map(read).transpose());
    record.map_err(|error| unreadable(&error)).ok()?
}

/// Changes the record of a session, unless the session has ended.
async fn change(store: &dyn SessionStore, entry: &SessionHandle, delta: &SessionDelta) {
    let id = entry.id();
    if let Some(_writing) = entry.session.writes.begin()
        && let Some(mut record) = stored(store, id).await
    {
        record.change(delta);
        put(store, id, &record).await;
    }
}

async fn put(store: &dyn SessionStore, id: &str, record: &Record) {
    let kept = match record.value() {
        Ok(value) => store.put(id, value).await,
        Err(error) => Err(error),
    };
    if let Err(error) = kept {
        tracing::error!(error = %Chain(&error), "a session cannot be kept");
    }
}

fn unreadable(error: &StoreError) {
    tracing::error!(error = %Chain(error), "a session cannot be read");
}
