//! [`Facts`]: what the file system says of something, without its contents.

use std::time::{Duration, SystemTime};

use cap_std::fs::Metadata;

/// How far apart two changes are that the clock of a file system tells apart for sure.
const TICK: Duration = Duration::from_millis(20);

/// What is served of a folder or a regular file. Nothing else has facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) is_folder: bool,
    /// In bytes.
    pub(crate) size: u64,
    pub(crate) modified: Option<SystemTime>,
    /// When anything was changed, the permissions included: nobody can set this time.
    changed: Option<SystemTime>,
    /// Which file it is, whatever its name.
    id: u64,
    /// The permissions, where there are some of this sort.
    pub(crate) mode: Option<u32>,
}

impl Facts {
    /// `None` where it is neither a folder nor a regular file: a link, a pipe, a device.
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

    /// A text that is another one after every change: of the contents, as far as the clock of the
    /// file system tells it, and of everything else.
    pub(crate) fn version(&self) -> String {
        let nanoseconds = |time: Option<SystemTime>| {
            let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.unwrap_or_default().as_nanos()
        };
        let (modified, changed) = (nanoseconds(self.modified), nanoseconds(self.changed));
        format!("{:x}-{:x}-{modified:x}-{changed:x}", self.id, self.size)
    }

    /// Whether it changed so short a time ago that the next change may look the same.
    pub(crate) fn is_fresh(&self) -> bool {
        let age = self.changed.map(|changed| changed.elapsed());
        !matches!(age, Some(Ok(age)) if age > TICK)
    }
}

/// The time of the last change of any sort, the file's number, and the permissions.
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
