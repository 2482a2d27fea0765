//! [`Seen`]: the last known state of everything below the root, to find changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use cap_std::fs::Dir;

use super::facts::Facts;
use super::place::Place;
use super::tree::{Tree, TreeError};

/// Receives changes.
pub(crate) trait Listener {
    /// A folder is about to be read; later changes in it have to be reported.
    fn enter(&mut self, folder: &Place);

    /// A file or folder was added, removed or changed.
    fn updated(&mut self, place: &Place, is_folder: bool);

    /// A file or folder was added or removed.
    fn list_changed(&mut self);
}

/// The names and stamps of all files, by folder. Some 60 bytes for each file.
#[derive(Default)]
pub(crate) struct Seen {
    folders: HashMap<Place, BTreeMap<OsString, Stamp>>,
}

/// Identifies a state of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stamp {
    Folder,
    File(u64),
    /// A file that was read so soon after a change that the next one may look the same.
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
    /// Compares everything in a folder, and in the folders below it.
    pub(crate) fn look(&mut self, tree: &Tree, folder: Place, listener: &mut impl Listener) {
        let mut waiting = vec![folder];
        while let Some(folder) = waiting.pop() {
            // Called first, so that changes while the folder is read are reported.
            listener.enter(&folder);
            let mut names = BTreeSet::new();
            let known = self.folders.entry(folder.clone()).or_default();
            names.extend(known.keys().cloned());
            let there = tree.folder(&folder).and_then(|there| tree.names(&there));
            match there {
                Ok(there) => names.extend(there.into_iter().map(|entry| entry.name)),
                Err(error) => unreadable(&folder, &error),
            }
            waiting.extend(self.compare(tree, &folder, &names, listener));
        }
    }

    /// Compares some names in a folder, and everything below those that are folders.
    pub(crate) fn look_at(
        &mut self,
        tree: &Tree,
        folder: &Place,
        names: &BTreeSet<OsString>,
        listener: &mut impl Listener,
    ) {
        // A folder that is not known yet is found by its parent.
        if !self.folders.contains_key(folder) {
            return;
        }
        for folder in self.compare(tree, folder, names, listener) {
            self.look(tree, folder, listener);
        }
    }

    /// Compares names, and returns the folders among them.
    fn compare(
        &mut self,
        tree: &Tree,
        folder: &Place,
        names: &BTreeSet<OsString>,
        listener: &mut impl Listener,
    ) -> Vec<Place> {
        let open = tree.folder(folder).ok();
        let mut inner = Vec::new();
        let (mut changed, mut list_changed) = (false, false);
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
            // A folder is unchanged only if its members are; it may have become readable.
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
            list_changed |= was_folder != is_folder;
        }
        if changed {
            listener.updated(folder, true);
        }
        if list_changed {
            listener.list_changed();
        }
        inner
    }

    /// Removes a folder and everything below it.
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
        Err(TreeError::NotFound) => None,
        Err(error) => {
            unreadable(&folder.join(name), &error);
            None
        }
    }
}

fn unreadable(place: &Place, error: &TreeError) {
    if !matches!(error, TreeError::NotFound) {
        tracing::warn!(%place, %error, "cannot read this, so its changes are not reported");
    }
}
