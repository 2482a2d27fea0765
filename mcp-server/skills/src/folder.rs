//! [`SkillFolder`]: skills in a folder of the file system.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use crate::source::{SkillFile, SkillSource};

/// The maximum number of files and of levels of folders.
const FILES: usize = 100_000;
const LEVELS: usize = 32;
/// Two changes within this time may have the same time in the file system.
const TICK: Duration = Duration::from_millis(20);

/// A folder whose files are served. Each name is looked up in the open parent folder, and no link is
/// followed, so nothing outside of the folder is ever read. Hidden files are not served.
pub(crate) struct SkillFolder {
    path: PathBuf,
    /// As it was opened for the latest list: another folder may have its path then.
    root: Mutex<Dir>,
}

impl SkillFolder {
    /// Opens a folder, which may itself be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let root = Mutex::new(Dir::open_ambient_dir(path, ambient_authority())?);
        let path = path.to_owned();
        Ok(Self { path, root })
    }

    fn root(&self) -> MutexGuard<'_, Dir> {
        self.root.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_file(&self, path: &str) -> io::Result<File> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder = self.root().try_clone()?;
        for name in folders.split_terminator('/') {
            folder = folder.open_dir_nofollow(name)?;
        }
        // If the file was replaced by a pipe, this does not wait for a writer.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(name, &options)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(file)
    }
}

impl SkillSource for SkillFolder {
    fn files(&self) -> io::Result<Vec<SkillFile>> {
        let root = Dir::open_ambient_dir(&self.path, ambient_authority())?;
        let mut files = Vec::new();
        walk(&root, "", LEVELS, &mut files)?;
        *self.root() = root;
        Ok(files)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.open_file(path)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Adds the files in a folder, and in the folders below it.
fn walk(folder: &Dir, path: &str, levels: usize, files: &mut Vec<SkillFile>) -> io::Result<()> {
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if files.len() >= FILES {
            let reason = format!("the folder has more than {FILES} files");
            return Err(io::Error::other(reason));
        }
        let mut path = match path {
            "" => String::new(),
            path => format!("{path}/"),
        };
        path.push_str(&name.to_string_lossy());
        if name.to_str().is_none() {
            files.push(SkillFile::unusable(path, "its name is not UTF-8"));
            continue;
        }
        // The metadata of a link itself.
        let listed = match entry.metadata() {
            Ok(found) if found.is_file() => SkillFile::new(path, found.len(), version(&found)),
            Ok(found) if found.is_dir() && levels == 0 => {
                SkillFile::unusable(path, format!("it is below more than {LEVELS} folders"))
            }
            Ok(found) if found.is_dir() => {
                let before = files.len();
                let opened = folder.open_dir_nofollow(&name);
                match opened.and_then(|inner| walk(&inner, &path, levels - 1, files)) {
                    Ok(()) => continue,
                    Err(error) if files.len() >= FILES => return Err(error),
                    Err(error) => {
                        // A part of a folder is no skill.
                        files.truncate(before);
                        SkillFile::unreadable(path, &error)
                    }
                }
            }
            Ok(found) if found.is_symlink() => SkillFile::unusable(path, "links are not followed"),
            Ok(_) => SkillFile::unusable(path, "it is neither a file nor a folder"),
            // It was removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => SkillFile::unreadable(path, &error),
        };
        files.push(listed);
    }
    Ok(())
}

/// Returns a text that differs after each change, as far as the file system shows it.
fn version(found: &Metadata) -> String {
    let modified = found.modified().map(cap_std::time::SystemTime::into_std);
    let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
    let (changed, id) = system(found);
    let mut version = format!("{modified:?} {changed} {id}");
    if modified.elapsed().is_ok_and(|age| age < TICK) {
        // Another change may have the same time, so the next check reads the file again.
        version.push_str(&format!(" {:?}", SystemTime::now()));
    }
    version
}

/// Returns the time of the last change, which programs cannot set, and the number of the file.
#[cfg(unix)]
fn system(found: &Metadata) -> (i128, u64) {
    use cap_std::fs::MetadataExt as _;

    let nanoseconds = i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec());
    (nanoseconds, found.ino())
}

#[cfg(not(unix))]
fn system(_: &Metadata) -> (i128, u64) {
    (0, 0)
}
