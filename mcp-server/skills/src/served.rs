//! [`ServedSkills`]: the current skills of a server, and the task that looks for changes.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use mcp_server::{Change, HandlerError, Server};
use mcp_types::uri::canonical;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;
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
    /// Held while the source is read, so that an older catalog never replaces a newer one.
    reading: tokio::sync::Mutex<()>,
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
            reading: tokio::sync::Mutex::default(),
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
                skills.refresh(&server, None).await;
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
        if let Some(catalog) = self.current() {
            return Ok(catalog);
        }
        let _reading = self.reading.lock().await;
        if self.current().is_none() {
            self.read_source(server, None).await;
        }
        self.current().ok_or_else(|| {
            HandlerError::internal("the skills cannot be read now: retry later").temporary()
        })
    }

    fn current(&self) -> Option<Arc<Catalog>> {
        self.current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Reads the source again, and announces what changed.
    async fn refresh(&self, server: &Server, suspect: Option<String>) -> Arc<Catalog> {
        let _reading = self.reading.lock().await;
        self.read_source(server, suspect).await
    }

    /// As [`refresh`](Self::refresh), while the lock is held.
    async fn read_source(&self, server: &Server, suspect: Option<String>) -> Arc<Catalog> {
        let (before, source) = (self.current(), Arc::clone(&self.source));
        let known = before.clone().unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || {
            Catalog::read(&*source, &known, suspect.as_deref())
        });
        let error = match read.await {
            Ok(Ok(catalog)) => {
                catalog.log_faults(before.as_deref());
                if catalog.is_incomplete {
                    self.failed.notify_one();
                }
                let catalog = Arc::new(catalog);
                *self.current.write().unwrap_or_else(PoisonError::into_inner) =
                    Some(Arc::clone(&catalog));
                for change in before.iter().flat_map(|before| catalog.changes(before)) {
                    server.announce(match change {
                        CatalogChange::Skills => Change::Resources,
                        CatalogChange::File(uri) => Change::Resource(uri),
                    });
                }
                return catalog;
            }
            Ok(Err(error)) => error.to_string(),
            Err(panicked) => panicked.to_string(),
        };
        self.failed.notify_one();
        tracing::warn!(
            error,
            "the skills cannot be read; those that are known are served"
        );
        before.unwrap_or_default()
    }

    /// Returns a file with its bytes, which have the digest in the current list of skills.
    pub(crate) async fn read(
        self: &Arc<Self>,
        server: &Server,
        uri: &str,
    ) -> Result<(ServedFile, Vec<u8>), HandlerError> {
        let uri = canonical(uri);
        let mut catalog = self.catalog(server).await?;
        for _ in 0..ATTEMPTS {
            let file = catalog.files.get(&*uri).cloned();
            let file = file.ok_or_else(|| HandlerError::resource_not_found(&*uri))?;
            let source = Arc::clone(&self.source);
            let wanted = file.clone();
            let permit = Arc::clone(&self.reads).acquire_owned().await;
            let read = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let bytes = source.read(&wanted.path, wanted.resource.size).ok()?;
                wanted.resource.verify(&bytes).is_ok().then_some(bytes)
            });
            if let Ok(Some(bytes)) = read.await {
                return Ok((file, bytes));
            }
            // The file changed, or was removed, after the last check.
            catalog = self.refresh(server, Some(file.path)).await;
        }
        let reason = format!("`{uri}` changes while it is read");
        Err(HandlerError::internal(reason).temporary())
    }
}
