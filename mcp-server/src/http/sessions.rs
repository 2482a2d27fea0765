//! [`Sessions`]: the legacy sessions of this process, and those that it finds in the store.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use super::entry::Entry;
use super::events::StoreError;
use super::store::{Delta, Record, SessionStore, read, record, restore};
use crate::error::Chain;
use crate::session::Session;

/// The sessions of an endpoint.
pub(super) struct Sessions {
    all: Mutex<HashMap<String, Arc<Entry>>>,
    store: Option<Arc<dyn SessionStore>>,
    limit: usize,
    idle_time: Duration,
}

/// What became of a session.
pub(super) enum Found {
    Here(Arc<Entry>),
    /// Nobody used it for so long that it is over, and to be ended everywhere.
    Expired,
    Unknown,
    /// There is no place for a copy.
    NoPlace,
}

impl Sessions {
    pub(super) fn new(
        store: Option<Arc<dyn SessionStore>>,
        limits: &crate::limits::Limits,
    ) -> Self {
        Self {
            all: Mutex::default(),
            store,
            limit: limits.sessions,
            idle_time: limits.session_idle_time,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Entry>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session that begins; `None` where there is no place. The sessions that are over are
    /// returned, too: the one that was idle for longest and gave way, or those that expired.
    pub(super) async fn begin(&self, session: Arc<Session>) -> (Option<Arc<Entry>>, Vec<String>) {
        let mut over = self.expired_now_and_then().await;
        let (entry, gone) = self.add(session);
        over.extend(gone);
        if let (Some(entry), Some(store)) = (&entry, &self.store) {
            put(&**store, entry.id(), &record(&entry.session)).await;
        }
        (entry, over)
    }

    /// Adds a session. Where there is no place, the one that is idle for longest gives way, and is
    /// returned.
    fn add(&self, session: Arc<Session>) -> (Option<Arc<Entry>>, Option<String>) {
        let mut all = self.all();
        let mut gone = None;
        if all.len() >= self.limit {
            let entries = all.iter();
            let idle = entries.filter_map(|(id, entry)| Some((entry.idle()?, id)));
            gone = idle.max().map(|(_, id)| id.clone());
        }
        if let Some(entry) = gone.as_ref().and_then(|id| all.remove(id)) {
            entry.end();
        }
        if all.len() >= self.limit {
            return (None, gone);
        }
        let entry = Entry::new(session);
        all.insert(entry.id().to_owned(), Arc::clone(&entry));
        (Some(entry), gone)
    }

    /// Sessions that nobody used for long, looked for as their number grows.
    async fn expired_now_and_then(&self) -> Vec<String> {
        let idle: Vec<String> = {
            let all = self.all();
            if !all.len().is_power_of_two() && all.len() % 256 != 255 {
                return Vec::new();
            }
            let idle = all.iter().filter(|(_, entry)| self.is_idle(entry));
            idle.map(|(id, _)| id.clone()).collect()
        };
        let mut expired = Vec::new();
        for id in idle {
            if self.is_used_elsewhere(&id).await {
                self.forget(&id);
            } else {
                expired.push(id);
            }
        }
        expired
    }

    fn is_idle(&self, entry: &Entry) -> bool {
        entry.idle().is_some_and(|idle| idle >= self.idle_time)
    }

    async fn is_used_elsewhere(&self, id: &str) -> bool {
        let record = self.stored(id).await;
        record.is_some_and(|record| record.idle() < self.idle_time)
    }

    /// All sessions of this process.
    pub(super) fn entries(&self) -> Vec<Arc<Entry>> {
        self.all().values().cloned().collect()
    }

    /// A session of this process.
    pub(super) fn here(&self, id: &str) -> Option<Arc<Entry>> {
        self.all().get(id).cloned()
    }

    /// A session, also one that another process began.
    pub(super) async fn find(&self, id: &str) -> Found {
        if let Some(entry) = self.here(id) {
            // Boxes for what is rare.
            if !entry.is_used_within(self.idle_time) {
                if !Box::pin(self.is_used_elsewhere(id)).await {
                    return Found::Expired;
                }
                entry.touch();
            }
            if self.store.is_some() && entry.is_unsaved_for(self.idle_time / 4) {
                Box::pin(self.change(id, &Delta::default())).await;
            }
            return Found::Here(entry);
        }
        let Some(record) = Box::pin(self.stored(id)).await else {
            return Found::Unknown;
        };
        if record.idle() >= self.idle_time {
            return Found::Expired;
        }
        let session = match restore(id, record) {
            Ok(session) => Arc::new(session),
            Err(error) => {
                unreadable(&error);
                return Found::Unknown;
            }
        };
        // Another request may have been faster. A copy that gives way is in the store.
        let entry = self.here(id).or_else(|| self.add(session).0);
        entry.map_or(Found::NoPlace, Found::Here)
    }

    async fn stored(&self, id: &str) -> Option<Record> {
        stored(&**self.store.as_ref()?, id).await
    }

    /// Notes what changed in a session where all processes see it.
    pub(super) async fn change(&self, id: &str, delta: &Delta) {
        if let Some(store) = &self.store {
            change(&**store, id, delta).await;
        }
    }

    /// Lets other processes know that a session is used as long as connections read its streams.
    pub(super) fn stay(&self, entry: &Arc<Entry>) -> impl Future<Output = ()> + Send + 'static {
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
                    Box::pin(change(&*store, entry.id(), &Delta::default())).await;
                }
            }
        }
    }

    /// Ends a session here; `false` where it was not here.
    pub(super) fn forget(&self, id: &str) -> bool {
        let entry = self.all().remove(id);
        entry.inspect(|entry| entry.end()).is_some()
    }

    /// Ends a session everywhere.
    pub(super) async fn remove(&self, id: &str) {
        self.forget(id);
        if let Some(store) = &self.store
            && let Err(error) = store.remove(id).await
        {
            tracing::error!(error = %Chain(&error), "a session cannot be removed");
        }
    }
}

async fn stored(store: &dyn SessionStore, id: &str) -> Option<Record> {
    let value = store.get(id).await;
    let record = value.and_then(|value| value.as_deref().map(read).transpose());
    record.map_err(|error| unreadable(&error)).ok()?
}

/// Changes the record of a session, unless the session has ended.
async fn change(store: &dyn SessionStore, id: &str, delta: &Delta) {
    if let Some(mut record) = stored(store, id).await {
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
