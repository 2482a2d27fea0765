//! [`Watch`]: notifies clients of changes below the root.
//!
//! Events of the file system only say where to look: clients are notified of the differences that
//! are found there. So a change is visible before its notification. If there are too many events,
//! or the system lost some, everything is compared.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mcp_server::Server;
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::place::Place;
use super::seen::{Listener, Seen};
use super::tree::Tree;

/// The maximum number of names that wait to be compared. Beyond it, everything is.
const MOST: usize = 8_192;
/// The pause after each comparison, so that many changes of one file cause one notification.
const PAUSE: Duration = Duration::from_millis(30);

/// Why changes cannot be watched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WatchError {
    #[error("cannot watch the file system for changes; `--no-watch` serves without them")]
    Watch(#[from] notify::Error),
    #[error("cannot start a thread to watch for changes")]
    Thread(#[from] std::io::Error),
}

/// The watch ends when this value is dropped.
pub(crate) struct Watch {
    hints: Arc<PendingNames>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Reads everything, as the state to compare with. Blocks meanwhile.
    pub(crate) fn start(tree: Arc<Tree>, root: &Path, server: Server) -> Result<Self, WatchError> {
        let hints = Arc::new(PendingNames::default());
        let received = Arc::clone(&hints);
        let filter = Arc::clone(&tree);
        let below = root.to_owned();
        let watcher =
            notify::recommended_watcher(move |event| received.take(event, &below, &filter))?;
        let mut notifier = Notifier {
            root: root.to_owned(),
            watcher,
            server: None,
            list_changed: false,
            failed: None,
        };
        let mut seen = Seen::default();
        seen.look(&tree, Place::default(), &mut notifier);
        if let Some(error) = notifier.failed.take() {
            return Err(error.into());
        }
        // No client is connected yet.
        notifier.list_changed = false;
        notifier.server = Some(server);
        let waiting = Arc::clone(&hints);
        let thread = thread::Builder::new().name("watch".into());
        let thread = thread.spawn(move || run(&waiting, &tree, &mut seen, &mut notifier))?;
        Ok(Self {
            hints,
            thread: Some(thread),
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.hints.update(|waiting| waiting.ended = true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already logged.
            let _ = thread.join();
        }
    }
}

fn run(hints: &PendingNames, tree: &Tree, seen: &mut Seen, notifier: &mut Notifier) {
    while let Some(waiting) = hints.next() {
        if waiting.everything {
            tracing::info!("too many changes at once: comparing everything");
            seen.look(tree, Place::default(), notifier);
        } else {
            for (folder, names) in &waiting.names {
                seen.look_at(tree, folder, names, notifier);
            }
        }
        notifier.finish();
    }
}

/// The names to compare.
#[derive(Default)]
struct PendingNames {
    waiting: Mutex<Waiting>,
    woken: Condvar,
}

#[derive(Default)]
struct Waiting {
    ended: bool,
    everything: bool,
    names: HashMap<Place, BTreeSet<OsString>>,
    count: usize,
}

impl PendingNames {
    fn update(&self, change: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut waiting);
        self.woken.notify_all();
    }

    /// Receives an event of the system. Never waits.
    fn take(&self, event: notify::Result<Event>, root: &Path, tree: &Tree) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                tracing::warn!(%error, "the system lost events");
                return self.update(Waiting::all);
            }
        };
        let written = AccessKind::Close(AccessMode::Write);
        if matches!(event.kind, EventKind::Access(kind) if kind != written) {
            return;
        }
        if event.need_rescan() {
            return self.update(Waiting::all);
        }
        for path in event.paths {
            let place = path.strip_prefix(root).ok().and_then(Place::from_path);
            let Some(place) = place else {
                continue;
            };
            if !place.names().iter().all(|name| tree.serves(name)) {
                continue;
            }
            self.update(|waiting| match place.split() {
                Some((folder, name)) => waiting.add(folder, name.to_owned()),
                // The root itself.
                None => waiting.all(),
            });
        }
    }

    /// Waits until there is something to compare; `None` when the watch ends.
    fn next(&self) -> Option<Waiting> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = self
            .woken
            .wait_timeout_while(waiting, PAUSE, |waiting| !waiting.ended);
        let (waiting, _) = pause.unwrap_or_else(PoisonError::into_inner);
        let idle = |waiting: &mut Waiting| {
            !waiting.ended && !waiting.everything && waiting.names.is_empty()
        };
        let waiting = self.woken.wait_while(waiting, idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        (!waiting.ended).then(|| std::mem::take(&mut *waiting))
    }
}

impl Waiting {
    fn add(&mut self, folder: Place, name: OsString) {
        if self.everything {
            return;
        }
        if self.names.entry(folder).or_default().insert(name) {
            self.count += 1;
        }
        if self.count > MOST {
            self.all();
        }
    }

    fn all(&mut self) {
        self.everything = true;
        self.names = HashMap::new();
    }
}

/// Notifies clients of the differences.
struct Notifier {
    root: PathBuf,
    watcher: RecommendedWatcher,
    /// `None` while the initial state is read.
    server: Option<Server>,
    list_changed: bool,
    failed: Option<notify::Error>,
}

impl Notifier {
    fn finish(&mut self) {
        let list_changed = std::mem::take(&mut self.list_changed);
        if let Some(server) = self.server.as_ref().filter(|_| list_changed) {
            server.resources_changed();
        }
        if let Some(error) = self.failed.take() {
            tracing::error!(%error, "cannot watch a folder, so changes in it are not reported");
        }
    }
}

impl Listener for Notifier {
    fn enter(&mut self, folder: &Place) {
        let mut path = self.root.clone();
        path.extend(folder.names());
        // Watches each folder separately: watching a tree misses changes in a new folder before the
        // system has added it.
        match self.watcher.watch(&path, RecursiveMode::NonRecursive) {
            Ok(()) => {}
            // The folder was removed, which its parent reports.
            Err(error) if is_missing(&error) => {}
            Err(error) => self.failed = Some(error),
        }
    }

    fn updated(&mut self, place: &Place, is_folder: bool) {
        if let Some(server) = &self.server {
            server.resource_updated(place.to_uri(is_folder));
        }
    }

    fn list_changed(&mut self) {
        self.list_changed = true;
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
