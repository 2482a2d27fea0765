//! [`Watch`]: tells peers of what changes below the root.
//!
//! What the file system says is a hint where to look; what is different there is what peers hear
//! of. So nothing is told before it can be read, and where there are too many hints, or the system
//! lost some, everything is looked at.

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

/// How many names may wait to be looked at, before all of them are.
const MOST: usize = 8_192;
/// How long is waited after each look, so that many changes of one file are told once.
const PAUSE: Duration = Duration::from_millis(30);

/// Why there is nothing to tell changes by.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WatchError {
    #[error("the system tells of no changes; `--no-watch` serves without them")]
    Watch(#[from] notify::Error),
    #[error("no thread for it")]
    Thread(#[from] std::io::Error),
}

/// Ends with this value.
pub(crate) struct Watch {
    hints: Arc<Hints>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Looks at everything, to know what is different later. Blocks meanwhile.
    pub(crate) fn start(tree: Arc<Tree>, root: &Path, server: Server) -> Result<Self, WatchError> {
        let hints = Arc::new(Hints::default());
        let told = Arc::clone(&hints);
        let filter = Arc::clone(&tree);
        let below = root.to_owned();
        let watcher = notify::recommended_watcher(move |event| told.take(event, &below, &filter))?;
        let mut teller = Teller {
            root: root.to_owned(),
            watcher,
            server: None,
            listed_otherwise: false,
            failed: None,
        };
        let mut seen = Seen::default();
        seen.look(&tree, Place::default(), &mut teller);
        if let Some(error) = teller.failed.take() {
            return Err(error.into());
        }
        // Nobody knew anything before.
        teller.listed_otherwise = false;
        teller.server = Some(server);
        let waiting = Arc::clone(&hints);
        let thread = thread::Builder::new().name("watch".into());
        let thread = thread.spawn(move || run(&waiting, &tree, &mut seen, &mut teller))?;
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
            // It cannot have panicked without having said so.
            let _ = thread.join();
        }
    }
}

fn run(hints: &Hints, tree: &Tree, seen: &mut Seen, teller: &mut Teller) {
    while let Some(waiting) = hints.next() {
        if waiting.everything {
            tracing::info!("too many changes at once: everything is looked at");
            seen.look(tree, Place::default(), teller);
        } else {
            for (folder, names) in &waiting.names {
                seen.look_at(tree, folder, names, teller);
            }
        }
        teller.finish();
    }
}

/// Where to look.
#[derive(Default)]
struct Hints {
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

impl Hints {
    fn update(&self, change: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut waiting);
        self.woken.notify_all();
    }

    /// Takes what the system tells. Never waits.
    fn take(&self, event: notify::Result<Event>, root: &Path, tree: &Tree) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                tracing::warn!(%error, "the system lost changes");
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

    /// What waits, as soon as something does; `None` at the end.
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

/// Passes what is different on to the peers.
struct Teller {
    root: PathBuf,
    watcher: RecommendedWatcher,
    /// None while all is new.
    server: Option<Server>,
    listed_otherwise: bool,
    failed: Option<notify::Error>,
}

impl Teller {
    fn finish(&mut self) {
        let listed_otherwise = std::mem::take(&mut self.listed_otherwise);
        if let Some(server) = self.server.as_ref().filter(|_| listed_otherwise) {
            server.resources_changed();
        }
        if let Some(error) = self.failed.take() {
            tracing::error!(%error, "changes in a folder will not be heard of");
        }
    }
}

impl Listener for Teller {
    fn enter(&mut self, folder: &Place) {
        let mut path = self.root.clone();
        path.extend(folder.names());
        // Each folder by itself: what is told of a whole tree misses what happens in a new folder
        // before the system is asked to tell of that, too.
        match self.watcher.watch(&path, RecursiveMode::NonRecursive) {
            Ok(()) => {}
            // It is gone, which its folder tells.
            Err(error) if is_missing(&error) => {}
            Err(error) => self.failed = Some(error),
        }
    }

    fn updated(&mut self, place: &Place, is_folder: bool) {
        if let Some(server) = &self.server {
            server.resource_updated(place.to_uri(is_folder));
        }
    }

    fn listed_otherwise(&mut self) {
        self.listed_otherwise = true;
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
