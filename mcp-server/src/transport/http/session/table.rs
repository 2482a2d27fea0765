//! [`Sessions`]: the legacy sessions of this process, and copies of sessions in the store.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::sleep;

use crate::protocol::core::Core;
use crate::protocol::error::text::Chain;
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::quota::{Gauge, PeerUsage};
use crate::protocol::session::Session;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::peer_table::PeerTable;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::stores::event_store::{EventStore, StoreError};
use crate::transport::http::stores::session_store::{
    Record, SessionDelta, SessionStore, read, record, restore,
};

/// The sessions of an endpoint.
pub(crate) struct Sessions {
    all: Mutex<PeerTable<String, Arc<SessionHandle>>>,
    pub(crate) server: Arc<Core>,
    pub(crate) store: Option<Arc<dyn SessionStore>>,
    pub(crate) events: Arc<dyn EventStore>,
    /// Whether the event store belongs to this process alone.
    pub(crate) events_are_local: bool,
    pub(crate) idle_time: Duration,
    pub(crate) expiry_task: ExpiryTask,
}

/// The task that ends expired sessions. It is aborted when the endpoint is dropped.
#[derive(Default)]
pub(crate) struct ExpiryTask(Mutex<Option<AbortHandle>>);

impl ExpiryTask {
    pub(crate) fn task(&self) -> std::sync::MutexGuard<'_, Option<AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ExpiryTask {
    fn drop(&mut self) {
        if let Some(task) = self.task().take() {
            task.abort();
        }
    }
}

/// The result of adding a session.
struct Added {
    /// `None` if the table is full of sessions in use.
    handle: Option<Arc<SessionHandle>>,
    /// The sessions that were evicted.
    evicted: Vec<Arc<SessionHandle>>,
}

/// The result of looking up a session.
pub(crate) enum SessionLookup {
    /// The session, in this process.
    Found(Arc<SessionHandle>),
    /// The session was idle for too long and has to be ended in all processes.
    Expired,
    /// There is no such session, or it belongs to another principal.
    Unknown,
    /// The session exists, but this process has no capacity for a copy.
    Full,
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
            expiry_task: ExpiryTask::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, PeerTable<String, Arc<SessionHandle>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session that a peer initialized. Returns `None` if there is no capacity for it.
    pub(crate) async fn add_new(
        self: &Arc<Self>,
        session: Arc<Session>,
        peer: Arc<PeerUsage>,
    ) -> Option<Arc<SessionHandle>> {
        let added = self.add(session, peer);
        // Waits, so that sessions are not created faster than evicted ones are removed from the
        // stores.
        self.finish_all(added.evicted).await;
        let handle = added.handle?;
        self.start_expiry_task();
        if let Some(store) = &self.store
            && let Some(_writing) = handle.session.writes.begin()
        {
            put(&**store, handle.id(), &record(&handle.session)).await;
        }
        Some(handle)
    }

    /// Adds a session, unless another request has added it in the meantime. If the table is full,
    /// the session that has been idle for longest is evicted: one of the peer's own if the peer has
    /// reached its limit.
    fn add(&self, session: Arc<Session>, peer: Arc<PeerUsage>) -> Added {
        let mut all = self.all();
        let id = session.id.as_deref().unwrap_or_default();
        if let Some(handle) = all.get(id) {
            return Added {
                handle: Some(Arc::clone(handle)),
                evicted: Vec::new(),
            };
        }
        let Ok(evicted) = all.make_room(peer.key()) else {
            return Added {
                handle: None,
                evicted: Vec::new(),
            };
        };
        let mut evicted = Vec::from_iter(evicted);
        let fits = make_room(&mut all, &peer, session.memory(), &mut evicted);
        let handle = fits.then(|| {
            let key = peer.key().clone();
            let handle = SessionHandle::new(session, peer);
            all.insert(handle.id().to_owned(), key, Arc::clone(&handle));
            handle
        });
        drop(all);
        for handle in &evicted {
            handle.end();
        }
        Added { handle, evicted }
    }

    /// Counts the memory of a changed session. If that exceeds a limit, idle sessions are evicted;
    /// if all others are in use, the session itself ends.
    pub(crate) async fn update_memory(self: &Arc<Self>, handle: &SessionHandle) {
        handle.retained.set(handle.session.memory());
        let mut evicted = Vec::new();
        let fits = make_room(&mut self.all(), &handle.peer, 0, &mut evicted);
        if !fits {
            tracing::warn!("closed a session: sessions exceed `Limits::retained_bytes`");
            evicted.extend(self.all().remove(handle.id()));
        }
        for handle in &evicted {
            handle.end();
        }
        self.finish_all(evicted).await;
    }

    /// Removes a session from the table, and cancels its work.
    pub(crate) fn remove(&self, id: &str) -> Option<Arc<SessionHandle>> {
        let handle = self.all().remove(id);
        handle.inspect(|handle| handle.end())
    }

    /// As [`remove`](Self::remove), unless the session was used in the meantime.
    pub(crate) fn remove_expired(&self, id: &str) -> Option<Arc<SessionHandle>> {
        let handle = {
            let mut all = self.all();
            let expired = all.get(id).is_some_and(|handle| self.is_idle(handle));
            expired.then(|| all.remove(id)).flatten()
        };
        handle.inspect(|handle| handle.end())
    }

    pub(crate) fn has_any(&self) -> bool {
        self.all().len() > 0
    }

    /// Returns the ids of expired sessions. Other processes may have used them since.
    pub(crate) fn expired(&self) -> Vec<String> {
        let all = self.all();
        let idle = all.iter().filter(|(_, handle)| self.is_idle(handle));
        idle.map(|(id, _)| id.clone()).collect()
    }

    fn is_idle(&self, handle: &SessionHandle) -> bool {
        handle.idle().is_some_and(|idle| idle >= self.idle_time)
    }

    /// Returns `true` if the store says that a session is not expired.
    pub(crate) async fn is_used_elsewhere(&self, id: &str) -> bool {
        let record = self.stored(id).await;
        record.is_some_and(|record| record.idle() < self.idle_time)
    }

    /// Returns the number of sessions of this process.
    pub(crate) fn len(&self) -> usize {
        self.all().len()
    }

    /// Returns a session of this process.
    pub(crate) fn local(&self, id: &str) -> Option<Arc<SessionHandle>> {
        self.all().get(id).cloned()
    }

    /// Finds a session of `principal`, also one that another process created. For other principals
    /// it is unknown, and their requests do not keep it alive.
    pub(crate) async fn find(self: &Arc<Self>, id: &str, principal: Option<&str>) -> SessionLookup {
        if let Some(handle) = self.local(id) {
            if handle.principal() != principal {
                return SessionLookup::Unknown;
            }
            // Boxed, because these futures are rarely needed.
            if !handle.touch_unless_idle(self.idle_time) {
                if !Box::pin(self.is_used_elsewhere(id)).await {
                    return SessionLookup::Expired;
                }
                handle.touch();
            }
            if self.store.is_some() && handle.claim_save(self.idle_time / 4) {
                Box::pin(self.change(&handle, &SessionDelta::default())).await;
            }
            return SessionLookup::Found(handle);
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
        // The address of the client that created it is not known here.
        let key = PeerKey::of_http(session.principal.as_deref(), None);
        let added = self.add(session, self.server.peers.usage(key));
        // The evicted sessions may continue at other processes.
        for handle in added.evicted {
            Box::pin(self.forget_events(handle.id())).await;
        }
        let Some(handle) = added.handle else {
            return SessionLookup::Full;
        };
        self.start_expiry_task();
        // Another process may have ended the session before the copy was added here.
        if Box::pin(self.stored(id)).await.is_none() {
            Box::pin(self.forget(id)).await;
            return SessionLookup::Unknown;
        }
        SessionLookup::Found(handle)
    }

    async fn stored(&self, id: &str) -> Option<Record> {
        stored(&**self.store.as_ref()?, id).await
    }

    /// Writes a change of a session to the store.
    pub(crate) async fn change(&self, handle: &SessionHandle, delta: &SessionDelta) {
        if let Some(store) = &self.store {
            change(&**store, handle, delta).await;
        }
    }

    /// Marks a session as used in the store while connections read its streams.
    pub(crate) fn renew_while_read(
        &self,
        handle: &Arc<SessionHandle>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let store = self.store.clone();
        let handle = Arc::downgrade(handle);
        let time = (self.idle_time / 4).max(Duration::from_secs(1));
        async move {
            let Some(store) = store else {
                return std::future::pending().await;
            };
            loop {
                sleep(time).await;
                let Some(handle) = handle.upgrade() else {
                    return;
                };
                if handle.idle().is_none() && handle.claim_save(time) {
                    // Boxed, because this future is rarely needed.
                    Box::pin(change(&*store, &handle, &SessionDelta::default())).await;
                }
            }
        }
    }
}

/// Evicts the sessions that have been idle for longest, until `bytes` of memory are available for a
/// peer: its own sessions if it has reached its share. Returns `false` if too many are in use.
fn make_room(
    all: &mut PeerTable<String, Arc<SessionHandle>>,
    peer: &PeerUsage,
    bytes: usize,
    evicted: &mut Vec<Arc<SessionHandle>>,
) -> bool {
    let limit = peer.limits().retained_bytes;
    let share = peer.share(limit / 4);
    // Evicted sessions are still counted until their last connection drops them.
    let (mut own, mut total) = (0, 0);
    let mut count = |handle: &SessionHandle| {
        total += handle.retained.get();
        if handle.peer.key() == peer.key() {
            own += handle.retained.get();
        }
        (own, total)
    };
    let mut freed = evicted
        .iter()
        .map(|handle| count(handle))
        .last()
        .unwrap_or_default();
    loop {
        let (own, total) = freed;
        let total_after =
            |gauge: &Gauge, freed| gauge.get().saturating_sub(freed).saturating_add(bytes);
        let oldest = if total_after(&peer.retained_bytes, own) > share {
            all.evict_of(peer.key())
        } else if total_after(&peer.all().retained_bytes, total) > limit {
            all.evict_any()
        } else {
            return true;
        };
        let Ok(handle) = oldest else {
            return false;
        };
        freed = count(&handle);
        evicted.push(handle);
    }
}

async fn stored(store: &dyn SessionStore, id: &str) -> Option<Record> {
    let value = store.get(id).await;
    let record = value.and_then(|value| value.as_deref().map(read).transpose());
    record.map_err(|error| unreadable(&error)).ok()?
}

/// Changes the record of a session in the store, unless the session has ended.
async fn change(store: &dyn SessionStore, handle: &SessionHandle, delta: &SessionDelta) {
    let id = handle.id();
    if let Some(_writing) = handle.session.writes.begin()
        && let Some(mut record) = stored(store, id).await
    {
        record.change(delta);
        put(store, id, &record).await;
    }
}

async fn put(store: &dyn SessionStore, id: &str, record: &Record) {
    let written = match record.value() {
        Ok(value) => store.put(id, value).await,
        Err(error) => Err(error),
    };
    if let Err(error) = written {
        tracing::error!(error = %Chain(&error), "cannot write a session to its store");
    }
}

fn unreadable(error: &StoreError) {
    tracing::error!(error = %Chain(error), "cannot read a session from its store");
}
