//! [`Sessions`]: the legacy sessions of this process, and copies of sessions in the store.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::task::AbortHandle;

use super::record::restore;
use super::shared::{Freshness, NewRecord, SharedSessions};
use crate::protocol::core::Core;
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::quota::{Gauge, PeerUsage};
use crate::protocol::session::Session;
use crate::protocol::store::StoreError;
use crate::transport::http::peer_table::PeerTable;
use crate::transport::http::session::handle::SessionHandle;
use crate::util::lock::lock;

/// The sessions of an endpoint.
pub(crate) struct Sessions {
    all: Mutex<PeerTable<String, Arc<SessionHandle>>>,
    pub(crate) server: Arc<Core>,
    pub(crate) shared: SharedSessions,
    pub(crate) idle_time: Duration,
    pub(crate) expiry_task: ExpiryTask,
}

/// The task that ends expired sessions. It is aborted when the endpoint is dropped.
#[derive(Default)]
pub(crate) struct ExpiryTask(Mutex<Option<AbortHandle>>);

impl ExpiryTask {
    pub(crate) fn task(&self) -> MutexGuard<'_, Option<AbortHandle>> {
        lock(&self.0)
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

/// The number of sessions that a new one may replace because of sessions at other processes.
const EVICTIONS: usize = 4;

/// Why a new session was not added.
pub(crate) enum SessionNotAdded {
    /// The table is full of sessions in use.
    Full,
    /// The peer has too many sessions.
    PeerFull,
    /// The store failed.
    Store(StoreError),
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
    pub(crate) fn new(server: &Arc<Core>) -> Self {
        let limits = &server.limits;
        let shared = SharedSessions::new(server);
        Self {
            all: Mutex::new(PeerTable::new(limits.sessions, limits.sessions_per_peer)),
            server: server.clone(),
            idle_time: shared.lifetime(),
            shared,
            expiry_task: ExpiryTask::default(),
        }
    }

    /// Adds a session that a peer initialized.
    pub(crate) async fn add_new(
        self: &Arc<Self>,
        session: Arc<Session>,
        peer: Arc<PeerUsage>,
    ) -> Result<Arc<SessionHandle>, SessionNotAdded> {
        let added = self.add(session, peer);
        // Waits, so that sessions are not created faster than evicted ones are removed from the
        // stores.
        self.finish_all(added.evicted).await;
        let handle = added.handle.ok_or(SessionNotAdded::Full)?;
        self.start_expiry_task();
        match self.put_new_within_share(&handle).await {
            Ok(true) => Ok(handle),
            Ok(false) => {
                self.remove(handle.id());
                Err(SessionNotAdded::PeerFull)
            }
            Err(error) => {
                self.remove(handle.id());
                Err(SessionNotAdded::Store(error))
            }
        }
    }

    /// Stores a new session. If its peer has too many at all processes together, those that were
    /// idle for longest end. Returns `false` if that makes no room.
    async fn put_new_within_share(
        self: &Arc<Self>,
        handle: &SessionHandle,
    ) -> Result<bool, StoreError> {
        for _ in 0..EVICTIONS {
            match self.shared.add(handle).await? {
                NewRecord::Written => return Ok(true),
                NewRecord::PeerFull(Some(oldest)) => Box::pin(self.end(&oldest)).await?,
                NewRecord::PeerFull(None) => {}
            }
        }
        Ok(false)
    }

    /// Adds a session, unless another request has added it in the meantime. If the table is full,
    /// the session that has been idle for longest is evicted: one of the peer's own if the peer has
    /// reached its limit.
    fn add(&self, session: Arc<Session>, peer: Arc<PeerUsage>) -> Added {
        let mut all = lock(&self.all);
        let id = session.id.as_deref().unwrap_or_default();
        if let Some(handle) = all.get(id) {
            return Added {
                handle: Some(Arc::clone(handle)),
                evicted: Vec::new(),
            };
        }
        let Ok(evicted) = all.make_room(&peer.key) else {
            return Added {
                handle: None,
                evicted: Vec::new(),
            };
        };
        let mut evicted = Vec::from_iter(evicted);
        let fits = make_room(&mut all, &peer, session.memory(), &mut evicted);
        let handle = fits.then(|| {
            let key = peer.key.clone();
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
        let evicted = self.recount(handle);
        self.finish_all(evicted).await;
    }

    /// As [`update_memory`](Self::update_memory), after a change that another process made. No
    /// session ends at other processes.
    pub(crate) async fn update_copy_memory(&self, handle: &SessionHandle) {
        for evicted in self.recount(handle) {
            self.forget_events(evicted.id()).await;
        }
    }

    /// Counts the memory of a changed session. Returns the sessions that were evicted for it, which
    /// may include the session itself.
    fn recount(&self, handle: &SessionHandle) -> Vec<Arc<SessionHandle>> {
        handle.retained.set(handle.session.memory());
        let mut evicted = Vec::new();
        let fits = make_room(&mut lock(&self.all), &handle.peer, 0, &mut evicted);
        if !fits {
            tracing::warn!("closed a session: sessions exceed `Limits::retained_bytes`");
            evicted.extend(lock(&self.all).remove(handle.id()));
        }
        for handle in &evicted {
            handle.end();
        }
        evicted
    }

    /// Removes a session from the table, and cancels its work.
    pub(crate) fn remove(&self, id: &str) -> Option<Arc<SessionHandle>> {
        let handle = lock(&self.all).remove(id);
        handle.inspect(|handle| handle.end())
    }

    /// As [`remove`](Self::remove), unless the session was used in the meantime.
    pub(crate) fn remove_expired(&self, id: &str) -> Option<Arc<SessionHandle>> {
        let handle = {
            let mut all = lock(&self.all);
            let expired = all.get(id).is_some_and(|handle| self.is_idle(handle));
            expired.then(|| all.remove(id)).flatten()
        };
        handle.inspect(|handle| handle.end())
    }

    pub(crate) fn has_any(&self) -> bool {
        lock(&self.all).len() > 0
    }

    /// Returns the ids of expired sessions. Other processes may have used them since.
    pub(crate) fn expired(&self) -> Vec<String> {
        let all = lock(&self.all);
        let idle = all.iter().filter(|(_, handle)| self.is_idle(handle));
        idle.map(|(id, _)| id.clone()).collect()
    }

    /// Lets no session wait for a message that may be lost.
    pub(crate) fn bus_lost_messages(&self) {
        for (_, handle) in lock(&self.all).iter() {
            handle.end_announcing(usize::MAX);
        }
    }

    /// Returns the sessions with a reader or a request in flight.
    pub(crate) fn busy(&self) -> Vec<Arc<SessionHandle>> {
        let all = lock(&self.all);
        let busy = all.iter().filter(|(_, handle)| handle.is_busy());
        busy.map(|(_, handle)| Arc::clone(handle)).collect()
    }

    fn is_idle(&self, handle: &SessionHandle) -> bool {
        handle.idle().is_some_and(|idle| idle >= self.idle_time)
    }

    /// Returns the number of sessions of this process.
    pub(crate) fn len(&self) -> usize {
        lock(&self.all).len()
    }

    /// Returns a session of this process.
    pub(crate) fn local(&self, id: &str) -> Option<Arc<SessionHandle>> {
        lock(&self.all).get(id).cloned()
    }

    /// Finds a session of `principal`, also one that another process created. For other principals
    /// it is unknown, and their requests do not keep it alive.
    pub(crate) async fn find(
        self: &Arc<Self>,
        id: &str,
        principal: Option<&str>,
    ) -> Result<SessionLookup, StoreError> {
        if let Some(handle) = self.local(id) {
            if handle.principal() != principal {
                return Ok(SessionLookup::Unknown);
            }
            if self.shared.are_shared() {
                // Boxed, because most servers share nothing.
                return Box::pin(self.find_copy(handle)).await;
            }
            return Ok(if handle.touch_unless_idle(self.idle_time) {
                SessionLookup::Found(handle)
            } else {
                SessionLookup::Expired
            });
        }
        if !self.shared.are_shared() {
            return Ok(SessionLookup::Unknown);
        }
        Box::pin(self.find_stored(id, principal)).await
    }

    /// Brings the copy of a session that this process has up to date.
    async fn find_copy(
        self: &Arc<Self>,
        handle: Arc<SessionHandle>,
    ) -> Result<SessionLookup, StoreError> {
        let fresh = self.shared.refresh(&handle).await;
        if let Freshness::Ended = fresh {
            self.ended_elsewhere(handle.id());
            return Ok(SessionLookup::Unknown);
        }
        if handle.retained.get() != handle.session.memory() {
            self.update_copy_memory(&handle).await;
            if self.local(handle.id()).is_none() {
                return Ok(SessionLookup::Full);
            }
        }
        if !handle.touch_unless_idle(self.idle_time) {
            let is_used = match fresh {
                Freshness::Current(idle) => !self.shared.is_idle(idle),
                _ => self.shared.is_used(handle.id()).await?,
            };
            if !is_used {
                return Ok(SessionLookup::Expired);
            }
            handle.touch();
        }
        self.shared.renew(&handle).await;
        Ok(SessionLookup::Found(handle))
    }

    /// Finds a session that this process does not have.
    async fn find_stored(
        self: &Arc<Self>,
        id: &str,
        principal: Option<&str>,
    ) -> Result<SessionLookup, StoreError> {
        let Some((record, _)) = self.shared.stored(id).await? else {
            return Ok(SessionLookup::Unknown);
        };
        if record.principal.as_deref() != principal {
            return Ok(SessionLookup::Unknown);
        }
        if self.shared.is_idle(record.idle()) {
            return Ok(SessionLookup::Expired);
        }
        let (idle, is_copied) = (record.idle(), record.process.is_none());
        let session = Arc::new(restore(id, record)?);
        // The address of the client that created it is not known here.
        let key = PeerKey::of_http(session.principal.as_deref(), None);
        let added = self.add(session, self.server.peers.usage(key));
        // The evicted sessions may continue at other processes.
        for handle in added.evicted {
            self.forget_events(handle.id()).await;
        }
        let Some(handle) = added.handle else {
            return Ok(SessionLookup::Full);
        };
        self.start_expiry_task();
        // Another process may have ended the session before the copy was added here.
        if self.shared.stored(id).await?.is_none() {
            self.forget(id).await;
            return Ok(SessionLookup::Unknown);
        }
        self.shared.renew_copy(&handle, idle, is_copied).await;
        Ok(SessionLookup::Found(handle))
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
        if handle.peer.key == peer.key {
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
            all.evict_of(&peer.key)
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
