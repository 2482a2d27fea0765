//! [`Seen`]: what was below the root when it was last looked at, to find what is different now.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use cap_std::fs::Dir;

use super::facts::Facts;
use super::place::Place;
use super::tree::{Fault, Tree};

/// Hears of what is different.
pub(crate) trait Listener {
    /// What is in this folder is looked at from now on; what happens there has to be told.
    fn enter(&mut self, folder: &Place);

    /// Something is there that was not, is gone, or changed.
    fn updated(&mut self, place: &Place, is_folder: bool);

    /// Something was added or is gone.
    fn listed_otherwise(&mut self);
}

/// The names and stamps of everything, by folder. Some 60 bytes for each file.
#[derive(Default)]
pub(crate) struct Seen {
    folders: HashMap<Place, BTreeMap<OsString, Stamp>>,
}

/// What a change is told by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stamp {
    Folder,
    File(u64),
    /// A file that was looked at so soon after a change that the next may look the same.
    Fresh,
}

impl Stamp {
    fn new(facts: &Facts) -> Self {
        if facts.is_folder {
            return Self::Folder;
        }
        if facts.is_fresh() {
            return Self::Fresh;
        }
        let mut hasher = DefaultHasher::new();
        facts.version().hash(&mut hasher);
        Self::File(hasher.finish())
    }

    fn is_folder(self) -> bool {
        self == Self::Folder
    }
}

impl Seen {
    /// Looks at everything in a folder, and in those below it.
    pub(crate) fn look(&mut self, tree: &Tree, folder: Place, listener: &mut impl Listener) {
        let mut waiting = vec![folder];
        while let Some(folder) = waiting.pop() {
            // First, so that what happens while it is looked at is heard of as well.
            listener.enter(&folder);
            let mut names = BTreeSet::new();
            let known = self.folders.entry(folder.clone()).or_default();
            names.extend(known.keys().cloned());
            let there = tree.folder(&folder).and_then(|there| tree.names(&there));
            match there {
                Ok(there) => names.extend(there.into_iter().map(|entry| entry.name)),
                Err(fault) => unreadable(&folder, &fault),
            }
            waiting.extend(self.compare(tree, &folder, &names, listener));
        }
    }

    /// Looks at some names in a folder, and at everything in those that are folders.
    pub(crate) fn look_at(
        &mut self,
        tree: &Tree,
        folder: &Place,
        names: &BTreeSet<OsString>,
        listener: &mut impl Listener,
    ) {
        // Of a folder that nobody has seen yet, its own folder tells.
        if !self.folders.contains_key(folder) {
            return;
        }
        for folder in self.compare(tree, folder, names, listener) {
            self.look(tree, folder, listener);
        }
    }

    /// Gives the folders that are to be looked at next.
    fn compare(
        &mut self,
        tree: &Tree,
        folder: &Place,
        names: &BTreeSet<OsString>,
        listener: &mut impl Listener,
    ) -> Vec<Place> {
        let open = tree.folder(folder).ok();
        let mut inner = Vec::new();
        let (mut changed, mut listed_otherwise) = (false, false);
        for name in names {
            let now = open
                .as_ref()
                .and_then(|open| stamp(tree, open, folder, name));
            let known = self.folders.entry(folder.clone()).or_default();
            let before = match now {
                Some(now) => known.insert(name.clone(), now),
                None => known.remove(name),
            };
            let place = folder.join(name);
            if now == Some(Stamp::Folder) {
                inner.push(place.clone());
            }
            // A folder is the same only as far as its own members tell; it may have become readable.
            if before == now && matches!(now, None | Some(Stamp::File(_))) {
                continue;
            }
            changed = true;
            let was_folder = before.map(Stamp::is_folder);
            let is_folder = now.map(Stamp::is_folder);
            if was_folder == Some(true) && is_folder != Some(true) {
                self.forget(&place, listener);
            }
            if let Some(was_folder) = was_folder.filter(|_| was_folder != is_folder) {
                listener.updated(&place, was_folder);
            }
            if let Some(is_folder) = is_folder {
                listener.updated(&place, is_folder);
            }
            listed_otherwise |= was_folder != is_folder;
        }
        if changed {
            listener.updated(folder, true);
        }
        if listed_otherwise {
            listener.listed_otherwise();
        }
        inner
    }

    /// A folder is gone, and everything below it.
    fn forget(&mut self, folder: &Place, listener: &mut impl Listener) {
        let mut waiting = vec![folder.clone()];
        while let Some(folder) = waiting.pop() {
            for (name, stamp) in self.folders.remove(&folder).unwrap_or_default() {
                let place = folder.join(&name);
                listener.updated(&place, stamp.is_folder());
                if stamp.is_folder() {
                    waiting.push(place);
                }
            }
        }
    }
}

fn stamp(tree: &Tree, open: &Dir, folder: &Place, name: &OsStr) -> Option<Stamp> {
    match tree.facts_in(open, name) {
        Ok(facts) => Some(Stamp::new(&facts)),
        Err(Fault::NotFound) => None,
        Err(fault) => {
            unreadable(&folder.join(name), &fault);
            None
        }
    }
}

fn unreadable(place: &Place, fault: &Fault) {
    if !matches!(fault, Fault::NotFound) {
        tracing::warn!(%place, %fault, "changes are not heard of where nothing can be read");
    }
}
