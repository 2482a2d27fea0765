//! [`Sessions`]: the legacy sessions of this process, and [`SessionStore`]: what other processes
//! know of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use mcp_types::{ClientCapabilities, Implementation, RequestId, Revision, json};
use serde::{Deserialize, Serialize};
use tokio::task::{AbortHandle, JoinSet};

use super::events::{StoreError, StoreFuture};
use super::stream::Stream;
use crate::error::Chain;
use crate::session::Session;

/// Keeps what a legacy session established, so that any process can go on with it.
///
/// Values are JSON texts of ours. Without a store, a session is known to its process alone.
pub trait SessionStore: Send + Sync + 'static {
    /// Keeps the value of a session, in place of the one before.
    fn put<'a>(&'a self, session: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()>;

    /// The value of a session; `None` for one that is not known.
    fn get<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Forgets a session.
    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// Sessions in the memory of this process: for several servers in one.
#[derive(Default)]
pub struct MemorySessions(Mutex<HashMap<String, Vec<u8>>>);

impl MemorySessions {
    /// Holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemorySessions {
    fn put<'a>(&'a self, session: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()> {
        self.all().insert(session.to_owned(), value);
        Box::pin(std::future::ready(Ok(())))
    }

    fn get<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        let value = self.all().get(session).cloned();
        Box::pin(std::future::ready(Ok(value)))
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.all().remove(session);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A session as it is kept.
#[derive(Serialize, Deserialize)]
struct Record {
    revision: String,
    client_info: Implementation,
    capabilities: ClientCapabilities,
    level: u8,
    resources: Vec<String>,
}

/// The value of a session for a [`SessionStore`].
fn record(session: &Session) -> Result<Vec<u8>, StoreError> {
    let record = Record {
        revision: session.revision.as_str().to_owned(),
        client_info: session.client_info.clone(),
        capabilities: session.capabilities.clone(),
        level: session.level(),
        resources: session.subscriptions(),
    };
    serde_json::to_vec(&record).map_err(|error| StoreError(Box::new(error)))
}

fn read(value: &[u8]) -> Result<Record, StoreError> {
    let text = std::str::from_utf8(value).map_err(|error| StoreError(Box::new(error)))?;
    json::from_str(text).map_err(|error| StoreError(Box::new(error)))
}

/// Takes over what can change in a session.
fn refresh(session: &Session, record: &Record) {
    session.set_severity(record.level);
    for uri in session.subscriptions() {
        if !record.resources.contains(&uri) {
            session.unsubscribe(&uri);
        }
    }
    for uri in &record.resources {
        session.subscribe(uri, usize::MAX);
    }
}

fn restore(id: &str, record: Record) -> Result<Session, StoreError> {
    let unknown = |_| StoreError("a revision that is not known".into());
    let revision: Revision = record.revision.parse().map_err(unknown)?;
    let level = record.level;
    let session = Session::new(
        Some(id.into()),
        revision,
        record.client_info,
        record.capabilities,
    );
    session.set_severity(level);
    for uri in &record.resources {
        session.subscribe(uri, usize::MAX);
    }
    Ok(session)
}

/// A session at this process, and its work in flight, which ends with it.
pub(super) struct Entry {
    pub(super) session: Arc<Session>,
    used: Mutex<Instant>,
    /// Whether another process knows better.
    stale: AtomicBool,
    /// Connections that read its streams.
    readers: AtomicUsize,
    work: Mutex<Work>,
}

#[derive(Default)]
struct Work {
    tasks: JoinSet<()>,
    running: HashMap<RequestId, AbortHandle>,
    streams: Vec<Weak<Stream>>,
    announcements: Option<Arc<Stream>>,
}

impl Entry {
    fn new(session: Arc<Session>) -> Arc<Self> {
        Arc::new(Self {
            session,
            used: Mutex::new(Instant::now()),
            stale: AtomicBool::new(false),
            readers: AtomicUsize::new(0),
            work: Mutex::default(),
        })
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn id(&self) -> &str {
        self.session.id.as_deref().unwrap_or_default()
    }

    /// What the session established is read again before it is used again.
    pub(super) fn changed_elsewhere(&self) {
        self.stale.store(true, Ordering::Release);
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long nothing happened, as far as it is idle at all.
    fn idle(&self) -> Option<Duration> {
        if self.readers.load(Ordering::Acquire) > 0 || !self.work().running.is_empty() {
            return None;
        }
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        Some(used.elapsed())
    }

    /// Works on a request until it ends, is cancelled, or the session ends.
    pub(super) fn run(
        self: &Arc<Self>,
        id: Option<RequestId>,
        stream: &Arc<Stream>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let entry = Arc::downgrade(self);
        let done = id.clone();
        let mut work = self.work();
        while work.tasks.try_join_next().is_some() {}
        work.streams.retain(|stream| stream.strong_count() > 0);
        work.streams.push(Arc::downgrade(stream));
        let handle = work.tasks.spawn(async move {
            task.await;
            if let (Some(id), Some(entry)) = (done, entry.upgrade()) {
                entry.work().running.remove(&id);
                entry.touch();
            }
        });
        if let Some(id) = id {
            work.running.insert(id, handle);
        }
    }

    /// Gives a request up; `false` where there is none with that id.
    pub(super) fn cancel(&self, id: &RequestId) -> bool {
        let running = self.work().running.remove(id);
        running.inspect(AbortHandle::abort).is_some()
    }

    /// A stream with work in flight.
    pub(super) fn stream(&self, id: &str) -> Option<Arc<Stream>> {
        let work = self.work();
        let mut streams = work.streams.iter().filter_map(Weak::upgrade);
        streams.find(|stream| !id.is_empty() && stream.id() == id)
    }

    /// The stream of announcements, made where there is none yet; `true` where it is new.
    pub(super) fn announcements(&self, make: impl FnOnce() -> Arc<Stream>) -> (Arc<Stream>, bool) {
        let mut work = self.work();
        match &work.announcements {
            Some(stream) => (Arc::clone(stream), false),
            None => {
                let stream = make();
                work.announcements = Some(Arc::clone(&stream));
                (stream, true)
            }
        }
    }

    /// Counts a connection, until what is returned is dropped.
    pub(super) fn reading(self: &Arc<Self>) -> Reading {
        self.readers.fetch_add(1, Ordering::AcqRel);
        Reading(Arc::clone(self))
    }

    /// Gives all work up.
    fn end(&self) {
        let mut work = self.work();
        work.tasks.abort_all();
        work.running.clear();
        if let Some(stream) = work.announcements.take() {
            stream.kick();
        }
        for stream in work.streams.drain(..).filter_map(|stream| stream.upgrade()) {
            stream.kick();
        }
    }
}

/// A connection of a session.
pub(super) struct Reading(Arc<Entry>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
        self.0.touch();
    }
}

/// The sessions of an endpoint.
pub(super) struct Sessions {
    all: Mutex<HashMap<String, Arc<Entry>>>,
    store: Option<Arc<dyn SessionStore>>,
    limit: usize,
    idle_time: Duration,
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

    /// Adds a session. The one that is idle for longest gives way; `None` where none is idle. The
    /// sessions that are gone are returned, too.
    pub(super) fn add(&self, session: Arc<Session>) -> (Option<Arc<Entry>>, Vec<String>) {
        let mut all = self.all();
        let mut gone = Vec::new();
        if all.len() >= self.limit {
            let idle = all
                .iter()
                .filter_map(|(id, entry)| Some((entry.idle()?, id)));
            if let Some((_, id)) = idle.max() {
                gone.push(id.clone());
            }
        } else if all.len().is_power_of_two() || all.len() % 256 == 255 {
            // Now and then those that expired are looked for.
            let idle = all.iter().filter(|(_, entry)| self.expired(entry));
            gone.extend(idle.map(|(id, _)| id.clone()));
        }
        for id in &gone {
            if let Some(entry) = all.remove(id) {
                entry.end();
            }
        }
        if all.len() >= self.limit {
            return (None, gone);
        }
        let entry = Entry::new(session);
        all.insert(entry.id().to_owned(), Arc::clone(&entry));
        (Some(entry), gone)
    }

    fn expired(&self, entry: &Entry) -> bool {
        entry.idle().is_some_and(|idle| idle >= self.idle_time)
    }

    /// A session of this process.
    pub(super) fn here(&self, id: &str) -> Option<Arc<Entry>> {
        self.all().get(id).cloned()
    }

    /// A session, also one that another process began; `None` for one that is over.
    pub(super) async fn find(&self, id: &str) -> Option<Arc<Entry>> {
        let Some(entry) = self.here(id) else {
            let session = restore(id, self.stored(id).await?);
            let session = session.map_err(|error| unreadable(&error)).ok()?;
            return self.here(id).or_else(|| self.add(Arc::new(session)).0);
        };
        if self.expired(&entry) {
            self.remove(id).await;
            return None;
        }
        if entry.stale.swap(false, Ordering::AcqRel)
            && let Some(record) = self.stored(id).await
        {
            refresh(&entry.session, &record);
        }
        entry.touch();
        Some(entry)
    }

    async fn stored(&self, id: &str) -> Option<Record> {
        let value = self.store.as_ref()?.get(id).await;
        let record = value.and_then(|value| value.as_deref().map(read).transpose());
        record.map_err(|error| unreadable(&error)).ok()?
    }

    /// Lets other processes know what the session established.
    pub(super) async fn save(&self, session: &Session) {
        let (Some(store), Some(id)) = (&self.store, &session.id) else {
            return;
        };
        let kept = match record(session) {
            Ok(value) => store.put(id, value).await,
            Err(error) => Err(error),
        };
        if let Err(error) = kept {
            tracing::error!(error = %Chain(&error), "a session cannot be kept");
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

fn unreadable(error: &StoreError) {
    tracing::error!(error = %Chain(error), "a session cannot be read");
}
