//! [`TaskState`]: the tasks of this process.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use mcp_types::peer_text::Chain;
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::extensions::tasks::settings::{IDENTIFIER, Tasks};
use crate::extensions::tasks::storage;
use crate::protocol::core::{BackgroundWork, Core};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::quota::retained::RetainedBytes;
use crate::protocol::store::link::BusReceiver;
use crate::protocol::store::message::BusMessage;
use crate::util::lock::lock;

/// How many subscriptions look for their tasks at once.
const LOOKUPS: usize = 16;
/// How often a server that shuts down looks whether its tasks have ended.
const DRAIN_INTERVAL: Duration = Duration::from_millis(10);

/// The state of the extension in this process.
pub(super) struct TaskState {
    pub(super) settings: Tasks,
    /// The server, and the index of the first layer around its handlers.
    pub(super) server: OnceLock<(Weak<Core>, usize)>,
    /// The tasks that run in this process. Each is notified when another process has changed it.
    running: Mutex<HashMap<String, Arc<Notify>>>,
    /// Those who wait for changes of a task.
    watchers: Mutex<HashMap<String, Vec<Weak<Watcher>>>>,
    /// A permit for each subscription that looks for its tasks.
    pub(super) lookups: Semaphore,
    /// The task that recovers the tasks of processes that have ended.
    pub(super) recovery: Mutex<Option<JoinHandle<()>>>,
    /// Notified when another process was shut down.
    pub(super) left: Arc<Notify>,
    /// Set when this process has recorded that it was shut down.
    leaving: OnceCell<()>,
}

impl TaskState {
    pub(super) fn new(settings: Tasks) -> Self {
        Self {
            settings,
            server: OnceLock::new(),
            running: Mutex::default(),
            watchers: Mutex::default(),
            lookups: Semaphore::new(LOOKUPS),
            recovery: Mutex::default(),
            left: Arc::default(),
            leaving: OnceCell::new(),
        }
    }

    /// Returns the server, while it exists.
    pub(super) fn core(&self) -> Option<Arc<Core>> {
        self.server.get()?.0.upgrade()
    }

    /// Returns the index of the first layer that runs in tasks.
    pub(super) fn next_layer(&self) -> usize {
        self.server.get().map_or(0, |(_, layers)| *layers)
    }

    /// Adds a task that runs in this process. Fails if there are too many.
    pub(super) fn add(
        self: &Arc<Self>,
        id: &str,
        retained: Option<RetainedBytes>,
    ) -> Result<RunningTask, HandlerError> {
        let mut running = lock(&self.running);
        if running.len() >= self.settings.running {
            let error = HandlerError::internal("too many tasks are running: retry later");
            return Err(error.temporary());
        }
        let changed = Arc::new(Notify::new());
        running.insert(id.to_owned(), Arc::clone(&changed));
        Ok(RunningTask {
            state: Arc::clone(self),
            id: id.to_owned(),
            changed,
            _retained: retained,
        })
    }

    /// Returns how many more tasks may run in this process.
    pub(super) fn vacancies(&self) -> usize {
        self.settings
            .running
            .saturating_sub(lock(&self.running).len())
    }

    /// Returns what is notified of changes of these tasks, until it is dropped.
    pub(super) fn watch(&self, ids: &[String]) -> Arc<Watcher> {
        let changed = Arc::<Watcher>::default();
        let mut watchers = lock(&self.watchers);
        for id in ids {
            let all = watchers.entry(id.clone()).or_default();
            all.push(Arc::downgrade(&changed));
        }
        changed
    }

    /// Ends what [`watch`](Self::watch) began.
    pub(super) fn unwatch(&self, ids: &[String], changed: &Arc<Watcher>) {
        let mut watchers = lock(&self.watchers);
        for id in ids {
            if let Entry::Occupied(mut known) = watchers.entry(id.clone()) {
                let this = Arc::as_ptr(changed);
                known
                    .get_mut()
                    .retain(|watcher| !std::ptr::eq(watcher.as_ptr(), this));
                if known.get().is_empty() {
                    known.remove();
                }
            }
        }
    }

    /// Tells everybody in this process that a task was changed.
    fn changed_here(&self, id: &str) {
        if let Some(task) = lock(&self.running).get(id) {
            task.notify_one();
        }
        for watcher in lock(&self.watchers).get(id).into_iter().flatten() {
            if let Some(watcher) = watcher.upgrade() {
                lock(&watcher.ids).insert(id.to_owned());
                watcher.changed.notify_one();
            }
        }
    }

    /// Tells everybody, at other processes as well, that a task was changed.
    pub(super) async fn changed(&self, core: &Core, id: &str) {
        self.changed_here(id);
        announce(core, id).await;
    }

    /// Lets other processes take over the tasks of this one, which runs none any more.
    async fn leave(&self) {
        let core = self.core().filter(|core| core.stores.values_are_shared);
        let Some(core) = core else { return };
        match storage::leave(&core).await {
            Ok(()) => announce(&core, storage::LEFT).await,
            Err(error) => {
                tracing::warn!(error = %Chain(&error), "other processes take over tasks later");
            }
        }
    }
}

/// Tells other processes the id of a task that was changed, or [`storage::LEFT`].
async fn announce(core: &Core, value: &str) {
    let Some(bus) = &core.stores.bus else { return };
    let message = BusMessage::Extension {
        identifier: IDENTIFIER.to_owned(),
        value: value.to_owned(),
    };
    if let Err(error) = bus.publish(&message).await {
        // Other processes look from time to time.
        tracing::debug!(%error, "a change of tasks is not announced");
    }
}

impl BackgroundWork for TaskState {
    fn ended(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            while !lock(&self.running).is_empty() {
                sleep(DRAIN_INTERVAL).await;
            }
            self.leaving.get_or_init(|| self.leave()).await;
        })
    }
}

impl BusReceiver for TaskState {
    fn receive(&self, message: &BusMessage) {
        match message {
            BusMessage::Extension { identifier, value } if identifier == IDENTIFIER => {
                match &**value {
                    storage::LEFT => self.left.notify_one(),
                    id => self.changed_here(id),
                }
            }
            // Messages were lost.
            BusMessage::Everything => {
                let running: Vec<String> = lock(&self.running).keys().cloned().collect();
                let watched: Vec<String> = lock(&self.watchers).keys().cloned().collect();
                for id in running.iter().chain(&watched) {
                    self.changed_here(id);
                }
            }
            _ => {}
        }
    }
}

impl Drop for TaskState {
    fn drop(&mut self) {
        if let Some(recovery) = lock(&self.recovery).take() {
            recovery.abort();
        }
    }
}

/// Collects which of the watched tasks were changed.
#[derive(Default)]
pub(super) struct Watcher {
    pub(super) changed: Notify,
    ids: Mutex<HashSet<String>>,
}

impl Watcher {
    /// Returns the ids of the tasks that were changed, and forgets them.
    pub(super) fn take(&self) -> HashSet<String> {
        std::mem::take(&mut *lock(&self.ids))
    }
}

/// The place of a task that runs in this process. Free again when it is dropped.
pub(super) struct RunningTask {
    pub(super) state: Arc<TaskState>,
    pub(super) id: String,
    /// Notified when the task was changed by somebody else.
    pub(super) changed: Arc<Notify>,
    /// The memory of the params and of the HTTP request, counted for the caller.
    _retained: Option<RetainedBytes>,
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        let mut running = lock(&self.state.running);
        // The process may have taken over the task from itself.
        if running
            .get(&self.id)
            .is_some_and(|known| Arc::ptr_eq(known, &self.changed))
        {
            running.remove(&self.id);
        }
    }
}
