//! [`Tree`]: access to the files and folders below the root, and to nothing else.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Seek as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

use super::facts::Facts;
use super::place::Place;

/// How often a file is read again if it changes while it is read.
const ATTEMPTS: usize = 3;
/// The number of folders whose names are cached, and of all names.
const CACHED_FOLDERS: usize = 64;
const CACHED_NAMES: usize = 200_000;

/// Why a file or folder is not available.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TreeError {
    /// It does not exist or is not served: a link, a pipe, a hidden file.
    #[error("there is nothing of this name")]
    NotFound,
    #[error("this is a folder")]
    Folder,
    #[error("{size} bytes are more than the {limit} that are read at once")]
    TooLarge { size: u64, limit: u64 },
    /// It changed each time that it was read.
    #[error("it changes while it is read")]
    Changing,
    #[error("it cannot be read")]
    Io(#[from] io::Error),
}

/// The folder that is served. Each name is looked up in the open parent folder: no path is ever
/// passed to the system, and no link is followed.
pub(crate) struct Tree {
    root: Dir,
    hidden: bool,
    kept: Mutex<VecDeque<CachedNames>>,
}

/// The names in a folder, as of its last change.
struct CachedNames {
    place: Place,
    version: String,
    names: Arc<[Entry]>,
}

/// A name in a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    /// As it was when the folder was read.
    pub(crate) is_folder: bool,
}

impl Tree {
    /// Opens the root, which may itself be a link. Serves hidden files if `hidden`.
    pub(crate) fn open(root: &Path, hidden: bool) -> io::Result<Self> {
        Ok(Self {
            root: Dir::open_ambient_dir(root, ambient_authority())?,
            hidden,
            kept: Mutex::default(),
        })
    }

    /// Returns `true` if a file with this name is served.
    pub(crate) fn serves(&self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        let is_special = cfg!(windows) && is_special_on_windows(name);
        !is_special && (self.hidden || !name.starts_with(b"."))
    }

    /// Opens a folder.
    pub(crate) fn folder(&self, place: &Place) -> Result<Dir, TreeError> {
        let mut folder = self.root.try_clone()?;
        for name in place.names() {
            folder = self.folder_in(&folder, name)?;
        }
        Ok(folder)
    }

    fn folder_in(&self, parent: &Dir, name: &OsStr) -> Result<Dir, TreeError> {
        if !self.serves(name) {
            return Err(TreeError::NotFound);
        }
        parent.open_dir_nofollow(name).map_err(|error| {
            // The error for a link, or for something that is not a folder, differs between systems.
            match parent.symlink_metadata(name) {
                Ok(found) if found.is_dir() => error.into(),
                Ok(_) => TreeError::NotFound,
                Err(error) => missing(error),
            }
        })
    }

    /// Returns the metadata of a file or folder.
    pub(crate) fn facts(&self, place: &Place) -> Result<Facts, TreeError> {
        match place.split() {
            Some((folder, name)) => self.facts_in(&self.folder(&folder)?, name),
            None => Facts::new(&self.root.dir_metadata()?).ok_or(TreeError::NotFound),
        }
    }

    /// Returns the metadata of a name in an open folder.
    pub(crate) fn facts_in(&self, folder: &Dir, name: &OsStr) -> Result<Facts, TreeError> {
        if !self.serves(name) {
            return Err(TreeError::NotFound);
        }
        let metadata = folder.symlink_metadata(name).map_err(missing)?;
        Facts::new(&metadata).ok_or(TreeError::NotFound)
    }

    /// Returns a consistent copy of a file, with its metadata at that time.
    pub(crate) fn read(&self, place: &Place, limit: u64) -> Result<(Vec<u8>, Facts), TreeError> {
        let (folder, name) = place.split().ok_or(TreeError::Folder)?;
        let folder = self.folder(&folder)?;
        for _ in 0..ATTEMPTS {
            if let Some(read) = self.read_once(&folder, name, limit)? {
                return Ok(read);
            }
        }
        Err(TreeError::Changing)
    }

    /// Reads once; `None` if the file changed meanwhile.
    fn read_once(
        &self,
        folder: &Dir,
        name: &OsStr,
        limit: u64,
    ) -> Result<Option<(Vec<u8>, Facts)>, TreeError> {
        let (mut file, before) = self.open_in(folder, name)?;
        let too_large = |size| Err(TreeError::TooLarge { size, limit });
        if before.size > limit {
            return too_large(before.size);
        }
        let bytes = whole(&mut file, limit)?;
        let length = bytes.len() as u64;
        if length > limit {
            return too_large(length);
        }
        let mut same = opened(&file)? == before && length == before.size;
        if same && before.is_fresh() {
            // The clock may be too coarse to show a change. Two reads with equal contents exclude
            // one for practical purposes.
            file.rewind()?;
            same = whole(&mut file, limit)? == bytes;
        }
        Ok(same.then_some((bytes, before)))
    }

    /// Opens a file.
    pub(crate) fn open_file(&self, place: &Place) -> Result<File, TreeError> {
        let (folder, name) = place.split().ok_or(TreeError::Folder)?;
        let (file, _) = self.open_in(&self.folder(&folder)?, name)?;
        Ok(file)
    }

    /// Opens a file in an open folder. Returns also its metadata.
    fn open_in(&self, folder: &Dir, name: &OsStr) -> Result<(File, Facts), TreeError> {
        // Opening a device may have effects, so the kind of the file is checked first.
        if self.facts_in(folder, name)?.is_folder {
            return Err(TreeError::Folder);
        }
        // If the file was replaced by a pipe meanwhile, this does not wait for a writer.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(name, &options);
        let file = file.map_err(|error| match self.facts_in(folder, name) {
            Ok(_) => error.into(),
            Err(error) => error,
        })?;
        let facts = opened(&file)?;
        if facts.is_folder {
            return Err(TreeError::Folder);
        }
        Ok((file, facts))
    }

    /// Returns the names in a folder, sorted. They are cached until the folder changes, so that
    /// pages of a large folder do not read it again.
    pub(crate) fn entries(&self, place: &Place, folder: &Dir) -> Result<Arc<[Entry]>, TreeError> {
        let facts = Facts::new(&folder.dir_metadata()?).ok_or(TreeError::NotFound)?;
        let version = facts.version();
        if let Some(names) = self.kept(place, &version) {
            return Ok(names);
        }
        let mut entries = self.names(folder)?;
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let names: Arc<[Entry]> = entries.into();
        if !facts.is_fresh() {
            self.keep(place.clone(), version, Arc::clone(&names));
        }
        Ok(names)
    }

    /// Returns the names in a folder, in any order.
    pub(crate) fn names(&self, folder: &Dir) -> Result<Vec<Entry>, TreeError> {
        let mut entries = Vec::new();
        for entry in folder.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else {
                // It was removed.
                continue;
            };
            if self.serves(&name) && (kind.is_dir() || kind.is_file()) {
                let is_folder = kind.is_dir();
                entries.push(Entry { name, is_folder });
            }
        }
        Ok(entries)
    }

    fn kept(&self, place: &Place, version: &str) -> Option<Arc<[Entry]>> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.place == *place)?;
        let kept = all.remove(at)?;
        if kept.version != version {
            return None;
        }
        let names = Arc::clone(&kept.names);
        // The most recently used entry is evicted last.
        all.push_back(kept);
        Some(names)
    }

    fn keep(&self, place: Place, version: String, names: Arc<[Entry]>) {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|kept| kept.place != place);
        all.push_back(CachedNames {
            place,
            version,
            names,
        });
        let mut names: usize = all.iter().map(|kept| kept.names.len()).sum();
        while names > CACHED_NAMES || all.len() > CACHED_FOLDERS {
            let Some(oldest) = all.pop_front() else {
                break;
            };
            names -= oldest.names.len();
        }
    }
}

/// Returns `true` for a name that may stand for something else on Windows: a short name of NTFS (`ENV~1`), a
/// name that ends with dots or spaces, or the name of a device, which may have any extension (`aux.txt`).
fn is_special_on_windows(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| *byte == b'~').skip(1);
    let is_short = parts.any(|after| after.first().is_some_and(u8::is_ascii_digit));
    is_short || name.ends_with(b".") || name.ends_with(b" ") || is_device(name)
}

fn is_device(name: &[u8]) -> bool {
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    let stem = stem.trim_ascii_end().to_ascii_lowercase();
    match &*stem {
        b"con" | b"prn" | b"aux" | b"nul" | b"conin$" | b"conout$" => true,
        // Superscript digits count as digits.
        [b'c', b'o', b'm', number @ ..] | [b'l', b'p', b't', number @ ..] => {
            matches!(
                number,
                [b'0'..=b'9'] | b"\xc2\xb9" | b"\xc2\xb2" | b"\xc2\xb3"
            )
        }
        _ => false,
    }
}

/// Reads the rest of a file, up to one byte more than the limit.
fn whole(file: &mut File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the metadata of an open file; an error if it is not a regular file or folder.
fn opened(file: &File) -> Result<Facts, TreeError> {
    Facts::new(&file.metadata()?).ok_or(TreeError::NotFound)
}

/// Converts an error of the system. `NotFound` also covers a parent that is not a folder.
fn missing(error: io::Error) -> TreeError {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};

    match error.kind() {
        NotFound | NotADirectory | InvalidFilename | InvalidInput => TreeError::NotFound,
        _ => TreeError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use super::is_special_on_windows;

    #[test]
    fn special_names_of_windows_are_recognized() {
        for name in [
            "ENV~1",
            "GIT~1",
            "secret~2.txt",
            "LO~123.TXT",
            "a. ",
            ".env.",
            ".env ",
            "CON",
            "aux.txt",
            "nul .tar.gz",
            "Com1",
            "lpt\u{b2}.log",
            "CONIN$",
        ] {
            assert!(is_special_on_windows(name.as_bytes()), "{name}");
        }
        for name in [
            ".env", "a.txt", "a~", "~a", "a~b.txt", "a 1", "console", "com10", "com", "a.con",
        ] {
            assert!(!is_special_on_windows(name.as_bytes()), "{name}");
        }
    }
}
