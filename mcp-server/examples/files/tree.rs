//! [`Tree`]: what is below the root, and nothing else.

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

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;
/// How many folders' names are kept, and how many names in all.
const KEPT_FOLDERS: usize = 64;
const KEPT_NAMES: usize = 200_000;

/// Why something cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// It is not there, or it is not served: a link, a pipe, a hidden file.
    #[error("there is nothing of this name")]
    NotFound,
    #[error("this is a folder")]
    Folder,
    #[error("{size} bytes are more than the {limit} that are read at once")]
    TooLarge { size: u64, limit: u64 },
    /// It was written to each time that it was read.
    #[error("it changes while it is read")]
    Changing,
    #[error("it cannot be read")]
    Io(#[from] io::Error),
}

/// A folder that is served. Nothing is looked up but one name after the other, each in the open
/// folder before: no path is ever given to the system, and no link is followed.
pub(crate) struct Tree {
    root: Dir,
    hidden: bool,
    kept: Mutex<VecDeque<Kept>>,
}

/// The names in a folder as they were when it last changed.
struct Kept {
    place: Place,
    version: String,
    names: Arc<[Entry]>,
}

/// Something in a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    /// As it was when the folder was read.
    pub(crate) is_folder: bool,
}

impl Tree {
    /// Opens the root, which may be a link itself. What begins with a dot is served if `hidden`.
    pub(crate) fn open(root: &Path, hidden: bool) -> io::Result<Self> {
        Ok(Self {
            root: Dir::open_ambient_dir(root, ambient_authority())?,
            hidden,
            kept: Mutex::default(),
        })
    }

    /// Whether something of this name is served.
    pub(crate) fn serves(&self, name: &OsStr) -> bool {
        self.hidden || !name.as_encoded_bytes().starts_with(b".")
    }

    /// Opens a folder.
    pub(crate) fn folder(&self, place: &Place) -> Result<Dir, Fault> {
        let mut folder = self.root.try_clone()?;
        for name in place.names() {
            folder = self.folder_in(&folder, name)?;
        }
        Ok(folder)
    }

    fn folder_in(&self, parent: &Dir, name: &OsStr) -> Result<Dir, Fault> {
        if !self.serves(name) {
            return Err(Fault::NotFound);
        }
        parent.open_dir_nofollow(name).map_err(|error| {
            // How the system says that it is no folder, or a link, is different everywhere.
            match parent.symlink_metadata(name) {
                Ok(found) if found.is_dir() => error.into(),
                Ok(_) => Fault::NotFound,
                Err(error) => missing(error),
            }
        })
    }

    /// What is known of something.
    pub(crate) fn facts(&self, place: &Place) -> Result<Facts, Fault> {
        match place.split() {
            Some((folder, name)) => self.facts_in(&self.folder(&folder)?, name),
            None => Facts::new(&self.root.dir_metadata()?).ok_or(Fault::NotFound),
        }
    }

    /// What is known of something in an open folder.
    pub(crate) fn facts_in(&self, folder: &Dir, name: &OsStr) -> Result<Facts, Fault> {
        if !self.serves(name) {
            return Err(Fault::NotFound);
        }
        let metadata = folder.symlink_metadata(name).map_err(missing)?;
        Facts::new(&metadata).ok_or(Fault::NotFound)
    }

    /// The bytes of a file as they were at one time, with what is known of it at that time.
    pub(crate) fn read(&self, place: &Place, limit: u64) -> Result<(Vec<u8>, Facts), Fault> {
        let (folder, name) = place.split().ok_or(Fault::Folder)?;
        let folder = self.folder(&folder)?;
        for _ in 0..ATTEMPTS {
            if let Some(read) = self.read_once(&folder, name, limit)? {
                return Ok(read);
            }
        }
        Err(Fault::Changing)
    }

    /// `None` where it changed meanwhile.
    fn read_once(
        &self,
        folder: &Dir,
        name: &OsStr,
        limit: u64,
    ) -> Result<Option<(Vec<u8>, Facts)>, Fault> {
        // A device may do something as soon as it is opened, so the name is looked at first.
        if self.facts_in(folder, name)?.is_folder {
            return Err(Fault::Folder);
        }
        // If it has become a pipe by now, this does not wait for who writes to it.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(name, &options);
        let mut file = file.map_err(|error| match self.facts_in(folder, name) {
            Ok(_) => error.into(),
            Err(fault) => fault,
        })?;
        let before = opened(&file)?;
        if before.is_folder {
            return Err(Fault::Folder);
        }
        let too_large = |size| Err(Fault::TooLarge { size, limit });
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
            // The clock may not tell that it changed since. That it did, and looks the same twice,
            // is as good as impossible.
            file.rewind()?;
            same = whole(&mut file, limit)? == bytes;
        }
        Ok(same.then_some((bytes, before)))
    }

    /// What is in a folder, sorted by name. The names are kept as long as the folder does not
    /// change, so that pages of a large one need not read it again.
    pub(crate) fn entries(&self, place: &Place, folder: &Dir) -> Result<Arc<[Entry]>, Fault> {
        let facts = Facts::new(&folder.dir_metadata()?).ok_or(Fault::NotFound)?;
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

    /// What is in a folder, in no order.
    pub(crate) fn names(&self, folder: &Dir) -> Result<Vec<Entry>, Fault> {
        let mut entries = Vec::new();
        for entry in folder.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else {
                // It is gone.
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
        // The one that was used last goes last.
        all.push_back(kept);
        Some(names)
    }

    fn keep(&self, place: Place, version: String, names: Arc<[Entry]>) {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|kept| kept.place != place);
        all.push_back(Kept {
            place,
            version,
            names,
        });
        let mut names: usize = all.iter().map(|kept| kept.names.len()).sum();
        while names > KEPT_NAMES || all.len() > KEPT_FOLDERS {
            let Some(oldest) = all.pop_front() else {
                break;
            };
            names -= oldest.names.len();
        }
    }
}

/// What is left of a file, up to one byte more than the limit.
fn whole(file: &mut File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is known of an open file; something else than a file is not served.
fn opened(file: &File) -> Result<Facts, Fault> {
    Facts::new(&file.metadata()?).ok_or(Fault::NotFound)
}

/// Something that is not there, or that is looked for in what is no folder.
fn missing(error: io::Error) -> Fault {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};

    match error.kind() {
        NotFound | NotADirectory | InvalidFilename | InvalidInput => Fault::NotFound,
        _ => Fault::Io(error),
    }
}
