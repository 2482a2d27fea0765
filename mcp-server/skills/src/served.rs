//! [`ServedSkills`]: the current skills of a server, and the task that looks for changes.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use mcp_extensions::skills::entry::verify;
use mcp_server::{Change, HandlerError, Server};
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;

use crate::catalog::{Catalog, CatalogChange, ServedFile};
use crate::source::SkillSource;

/// How often a file is read again if it changes while it is read.
const ATTEMPTS: usize = 3;

/// How many files are read at once. A read that has begun is finished even if its request was dropped.
const READS: usize = 4;

/// The time after which the source is read again if a file, or the source, could not be read.
const RETRY_TIME: Duration = Duration::from_secs(2);

/// The skills of a server, shared by its handlers.
pub(crate) struct ServedSkills {
    source: Arc<dyn SkillSource>,
    /// Absent before the source was read for the first time.
    current: RwLock<Option<Arc<Catalog>>>,
    /// Held while the source is read, so that an older catalog never replaces a newer one. The time of the
    /// latest read if it failed.
    reading: Arc<tokio::sync::Mutex<Option<Instant>>>,
    /// A permit for each file that is being read.
    reads: Arc<Semaphore>,
    /// The time between two checks for changes.
    interval: Duration,
    /// Notified when something could not be read.
    failed: Arc<Notify>,
    /// Ends with this value, which the handlers of the server have.
    watching: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for ServedSkills {
    fn drop(&mut self) {
        let watching = self.watching.get_mut();
        if let Some(task) = watching.unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

impl ServedSkills {
    pub(crate) fn new(source: Arc<dyn SkillSource>, interval: Duration) -> Self {
        Self {
            source,
            current: RwLock::default(),
            reading: Arc::default(),
            reads: Arc::new(Semaphore::new(READS)),
            interval,
            failed: Arc::default(),
            watching: Mutex::default(),
        }
    }

    /// Starts the task that looks for changes, unless it runs. It ends with the server. Without a
    /// runtime, the first request starts it.
    pub(crate) fn watch(self: &Arc<Self>, server: &Server) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let mut watching = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
        if watching.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        let (skills, server) = (Arc::downgrade(self), server.downgrade());
        let (failed, interval) = (Arc::clone(&self.failed), self.interval);
        *watching = Some(runtime.spawn(async move {
            while let (Some(skills), Some(server)) = (skills.upgrade(), server.upgrade()) {
                let seen = skills.current();
                skills.refresh(&server, seen.as_ref(), None).await;
                drop((skills, server));
                let retry = async {
                    failed.notified().await;
                    sleep(RETRY_TIME).await;
                };
                tokio::select! {
                    biased;
                    () = sleep(interval) => {}
                    () = retry => {}
                }
            }
        }));
    }

    /// Returns the current skills.
    ///
    /// # Errors
    ///
    /// -32603 if the source could not be read yet: an empty list could be kept by caches.
    pub(crate) async fn catalog(
        self: &Arc<Self>,
        server: &Server,
    ) -> Result<Arc<Catalog>, HandlerError> {
        self.watch(server);
        let catalog = match self.current() {
            Some(catalog) => Some(catalog),
            None => self.refresh(server, None, None).await,
        };
        catalog.ok_or_else(|| {
            HandlerError::internal("the skills cannot be read now: retry later").temporary()
        })
    }

    fn current(&self) -> Option<Arc<Catalog>> {
        self.current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Reads the source again, and announces what changed, unless somebody else did so since the caller
    /// saw the catalog. One read runs at a time, and goes on if the request that began it is dropped.
    async fn refresh(
        self: &Arc<Self>,
        server: &Server,
        seen: Option<&Arc<Catalog>>,
        suspect: Option<String>,
    ) -> Option<Arc<Catalog>> {
        let guard = Arc::clone(&self.reading).lock_owned().await;
        let current = self.current();
        let has_failed = guard.is_some_and(|at: Instant| at.elapsed() < RETRY_TIME);
        let is_seen = match (&current, seen) {
            (Some(current), Some(seen)) => Arc::ptr_eq(current, seen),
            (current, _) => current.is_none(),
        };
        if has_failed || !is_seen {
            return current;
        }
        let (skills, server) = (Arc::clone(self), server.clone());
        // What is logged goes where this task logs to.
        let log = tracing::dispatcher::get_default(Clone::clone);
        let read = spawn_blocking(move || {
            let mut guard = guard;
            *guard = Some(Instant::now());
            let read = || skills.read_source(&server, suspect.as_deref());
            if tracing::dispatcher::with_default(&log, read) {
                *guard = None;
            }
        });
        if let Err(panicked) = read.await {
            self.report(&panicked);
        }
        self.current()
    }

    /// Returns `false` if the source could not be read.
    fn read_source(&self, server: &Server, suspect: Option<&str>) -> bool {
        let before = self.current();
        let catalog = match Catalog::read(&*self.source, before.as_deref(), suspect) {
            Ok(Some(catalog)) => catalog,
            Ok(None) => return true,
            Err(error) => {
                self.report(&error);
                return false;
            }
        };
        catalog.log_faults(before.as_deref());
        if catalog.is_incomplete {
            self.failed.notify_one();
        }
        let catalog = Arc::new(catalog);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&catalog));
        for change in before.iter().flat_map(|before| catalog.changes(before)) {
            server.announce(match change {
                CatalogChange::Skills => Change::Resources,
                CatalogChange::File(uri) => Change::Resource(uri),
            });
        }
        true
    }

    /// Logs that the source could not be read. It is read again soon.
    fn report(&self, error: &dyn Display) {
        self.failed.notify_one();
        tracing::warn!(%error, "the skills cannot be read; those that are known are served");
    }

    /// Returns a file with its bytes, which have the digest in the current list of skills.
    pub(crate) async fn read(
        self: &Arc<Self>,
        server: &Server,
        uri: &str,
    ) -> Result<(ServedFile, Vec<u8>), HandlerError> {
        let mut catalog = self.catalog(server).await?;
        for _ in 0..ATTEMPTS {
            let file = catalog.files.get(uri).cloned();
            let file = file.ok_or_else(|| HandlerError::resource_not_found(uri))?;
            let source = Arc::clone(&self.source);
            let wanted = file.clone();
            let permit = Arc::clone(&self.reads).acquire_owned().await;
            let read = spawn_blocking(move || {
                let _permit = permit;
                let bytes = source
                    .read(&wanted.path, wanted.resource.byte_count())
                    .ok()?;
                verify(&wanted.resource, &bytes).is_ok().then_some(bytes)
            });
            if let Ok(Some(bytes)) = read.await {
                return Ok((file, bytes));
            }
            // The file changed, or was removed, after the last check.
            let refreshed = self.refresh(server, Some(&catalog), Some(file.path)).await;
            catalog = refreshed.unwrap_or(catalog);
        }
        let reason = format!("`{uri}` changes while it is read");
        Err(HandlerError::internal(reason).temporary())
    }
}
