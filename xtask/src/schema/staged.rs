//! [`Staged`]: a copy of the store, which replaces the store as a whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result};

use super::store::{Store, write_whole};
use crate::workspace;

/// A copy of a store in a temporary folder, which is removed when it is dropped.
pub(super) struct Staged {
    folder: PathBuf,
    pub(super) store: Store,
}

impl Staged {
    /// Copies a store.
    ///
    /// # Errors
    ///
    /// Returns an error if files cannot be read or written.
    pub(super) fn of(store: &Store) -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("schema-staged-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let root = folder.join("schema");
        fs::create_dir_all(&root).with_context(|| root.display().to_string())?;
        let staged = Self {
            folder,
            store: Store::at(root),
        };
        workspace::copy(store.root(), staged.store.root())?;
        Ok(staged)
    }

    /// Writes the files that changed to the store. After an error, the store is as it was before.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or written.
    pub(super) fn commit(self, store: &Store) -> Result<()> {
        let mut changed = Vec::new();
        for file in workspace::files(self.store.root())? {
            let to = store.root().join(file.strip_prefix(self.store.root())?);
            let new = fs::read(&file).with_context(|| file.display().to_string())?;
            let old = fs::read(&to).ok();
            if old.as_ref() != Some(&new) {
                changed.push((to, old, new));
            }
        }
        for (at, (file, _, new)) in changed.iter().enumerate() {
            if let Err(error) = write_whole(file, new) {
                for (file, old, _) in &changed[..at] {
                    restore(file, old.as_deref());
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Makes a file what it was before. The error that made this necessary is reported instead of one
/// that happens here.
fn restore(file: &Path, old: Option<&[u8]>) {
    if let Some(old) = old {
        let _ = write_whole(file, old);
    } else {
        let _ = fs::remove_file(file);
        // Removes the folder only if it is empty.
        let _ = file.parent().map(fs::remove_dir);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
