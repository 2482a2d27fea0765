//! [`Facts`]: metadata of a file or folder.

use std::time::{Duration, SystemTime};

use cap_std::fs::Metadata;

/// The time after which every file system gives two changes different times.
const TICK: Duration = Duration::from_millis(20);

/// Metadata of a folder or a regular file. Other kinds of files are not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) is_folder: bool,
    /// The size in bytes.
    pub(crate) size: u64,
    pub(crate) modified: Option<SystemTime>,
    /// The time of the last change, also of permissions. Programs cannot set it.
    changed: Option<SystemTime>,
    /// The number of the file, which is independent of its name.
    id: u64,
    /// The permissions, on systems that have a mode.
    pub(crate) mode: Option<u32>,
}

impl Facts {
    /// Returns `None` for anything else than a folder or a regular file, such as a link or a pipe.
    pub(crate) fn new(metadata: &Metadata) -> Option<Self> {
        if !metadata.is_dir() && !metadata.is_file() {
            return None;
        }
        let modified = metadata
            .modified()
            .ok()
            .map(cap_std::time::SystemTime::into_std);
        let (changed, id, mode) = system(metadata);
        Some(Self {
            is_folder: metadata.is_dir(),
            size: metadata.len(),
            modified,
            changed: changed.or(modified),
            id,
            mode,
        })
    }

    /// Returns a text that differs after each change of the contents, as far as the clock of the
    /// file system shows it, or of the metadata.
    pub(crate) fn version(&self) -> String {
        let nanoseconds = |time: Option<SystemTime>| {
            let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.unwrap_or_default().as_nanos()
        };
        let (modified, changed) = (nanoseconds(self.modified), nanoseconds(self.changed));
        format!("{:x}-{:x}-{modified:x}-{changed:x}", self.id, self.size)
    }

    /// Returns `true` if the last change is so recent that the next one may have the same time.
    pub(crate) fn is_fresh(&self) -> bool {
        let age = self.changed.map(|changed| changed.elapsed());
        !matches!(age, Some(Ok(age)) if age > TICK)
    }
}

/// The time of the last change of any kind, the number of the file, and the permissions.
#[cfg(unix)]
fn system(metadata: &Metadata) -> (Option<SystemTime>, u64, Option<u32>) {
    use cap_std::fs::{MetadataExt as _, PermissionsExt as _};

    let seconds = u64::try_from(metadata.ctime()).map(Duration::from_secs);
    let nanoseconds = u64::try_from(metadata.ctime_nsec()).map(Duration::from_nanos);
    let changed = match (seconds, nanoseconds) {
        (Ok(seconds), Ok(rest)) => SystemTime::UNIX_EPOCH.checked_add(seconds + rest),
        _ => None,
    };
    let mode = metadata.permissions().mode() & 0o7777;
    (changed, metadata.ino(), Some(mode))
}

#[cfg(not(unix))]
fn system(_: &Metadata) -> (Option<SystemTime>, u64, Option<u32>) {
    (None, 0, None)
}
