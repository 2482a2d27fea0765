//! [`FileStore`]: one file for each key, in a folder that only the user can read.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_oauth::{Secret, random, sha256};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use zeroize::Zeroizing;

use super::token_store::{StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};

/// How long a process waits for the lock of another one. A refresh takes less.
const LOCK_TIME: Duration = Duration::from_secs(60);
/// How often the lock is tried.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// A temporary file that is older than this was left behind by a crash.
const LEFT_BEHIND: Duration = Duration::from_secs(60);
/// The number of characters of a digest, and of a random text.
const CODE_CHARS: usize = 43;
/// The permissions of others that a folder must not have: to change it.
const FOLDER_FORBIDDEN: u32 = 0o022;
/// The permissions of others that a file must not have: all.
const FILE_FORBIDDEN: u32 = 0o077;
/// The maximum size of a file in bytes.
const FILE_BYTES: u64 = 1 << 20;

/// Keeps tokens in the files of a folder. Several processes can use the same folder.
///
/// On Unix, the folder has the mode 0700 and the files have 0600. As ssh does it, an existing
/// folder that belongs to another user or can be changed by one is an error, and so is a file that
/// others can read. On other systems they have the permissions that files get in that folder:
/// choose one in the profile of the user. The tokens are not encrypted. A file is replaced as a
/// whole, so that a crash leaves the old or the new one.
#[derive(Clone, Debug)]
pub struct FileStore {
    folder: PathBuf,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct StoredFile {
    key: StoreKey,
    value: Secret,
}

impl FileStore {
    /// Creates a store in a folder. The folder is created when something is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn path(&self, key: &StoreKey, extension: &str) -> PathBuf {
        let name = sha256(key.to_string().as_bytes());
        self.folder.join(name).with_extension(extension)
    }

    /// Runs a function that blocks, with a clone of the store.
    fn blocking<'a, T: Send + 'static>(
        &self,
        run: impl FnOnce(Self) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let store = self.clone();
        Box::pin(async move { spawn_blocking(move || run(store)).await? })
    }

    fn create_folder(&self) -> Result<(), StoreError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let created = builder.create(&self.folder);
        created.map_err(|error| at(&self.folder, &error))?;
        self.check_folder().map(drop)
    }

    /// Checks that no other user can change the folder. Returns `false` if it does not exist.
    fn check_folder(&self) -> Result<bool, StoreError> {
        let checked = fs::metadata(&self.folder)
            .and_then(|metadata| check_access(&metadata, FOLDER_FORBIDDEN));
        match checked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(at(&self.folder, &error)),
        }
    }

    /// Reads the value of a key. Returns `None` if the key has no value.
    fn read(&self, key: &StoreKey) -> Result<Option<StoredFile>, StoreError> {
        if !self.check_folder()? {
            return Ok(None);
        }
        read(&self.path(key, "json"))
    }

    /// Removes temporary files that a crash has left behind: they contain tokens.
    fn remove_leftovers(&self) {
        for file in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = file.path();
            let written = file.metadata().and_then(|metadata| metadata.modified());
            let is_old = written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_BEHIND));
            if is_old && is_temporary(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn write(&self, key: &StoreKey, value: &Secret) -> Result<(), StoreError> {
        self.create_folder()?;
        self.remove_leftovers();
        let path = self.path(key, "json");
        // In the same folder, so that it can be renamed.
        let temporary = path.with_extension(format!("{}.tmp", random()?));
        let entry = StoredFile {
            key: key.clone(),
            value: value.clone(),
        };
        let text = Zeroizing::new(serde_json::to_vec(&entry)?);
        let written = write_new(&temporary, &text).and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            at(&path, &error)
        })
    }
}

impl TokenStore for FileStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, Option<Secret>> {
        let key = key.clone();
        self.blocking(move |store| {
            let entry = store.read(&key)?;
            // The name of the file is a digest, so the key is compared.
            Ok(entry
                .filter(|entry| entry.key == key)
                .map(|entry| entry.value))
        })
    }

    fn save<'a>(&'a self, key: &'a StoreKey, value: &'a Secret) -> StoreFuture<'a, ()> {
        let (key, value) = (key.clone(), value.clone());
        self.blocking(move |store| store.write(&key, &value))
    }

    fn remove<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, ()> {
        let key = key.clone();
        self.blocking(move |store| {
            if !store.check_folder()? {
                return Ok(());
            }
            store.remove_leftovers();
            let path = store.path(&key, "json");
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path, &error)),
                _ => Ok(()),
            }
        })
    }

    fn keys(&self) -> StoreFuture<'_, Vec<StoreKey>> {
        self.blocking(|store| {
            let mut keys = Vec::new();
            if !store.check_folder()? {
                return Ok(keys);
            }
            let failed = |error| at(&store.folder, &error);
            for file in fs::read_dir(&store.folder).map_err(failed)? {
                let path = file.map_err(failed)?.path();
                if path.extension().is_none_or(|extension| extension != "json") {
                    continue;
                }
                match read(&path) {
                    Ok(entry) => keys.extend(entry.map(|entry| entry.key)),
                    // The others are usable.
                    Err(error) => tracing::warn!(%error, "a stored value is ignored"),
                }
            }
            keys.sort();
            Ok(keys)
        })
    }

    fn lock<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, StoreLock> {
        Box::pin(async move {
            self.create_folder()?;
            let path = self.path(key, "lock");
            let mut options = private();
            let file = options.create(true).open(&path);
            let file = file.map_err(|error| at(&path, &error))?;
            let end = Instant::now() + LOCK_TIME;
            while !try_lock(&file).map_err(|error| at(&path, &error))? {
                if Instant::now() >= end {
                    let fault = "another process has held the lock for a minute";
                    return Err(at(&path, &io::Error::new(io::ErrorKind::TimedOut, fault)));
                }
                sleep(LOCK_PAUSE).await;
            }
            // Closing the file releases the lock, also if the process is killed. The file is kept:
            // a process that waits for it would otherwise lock one that is no longer there.
            let lock: StoreLock = Box::new(file);
            Ok(lock)
        })
    }
}

/// Returns `true` for the name of a temporary file of a store: other programs may use the folder,
/// too.
fn is_temporary(path: &Path) -> bool {
    let is_code = |text: &str| {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        text.len() == CODE_CHARS && text.bytes().all(is_legal)
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_suffix(".tmp"));
    let parts = name.and_then(|name| name.split_once('.'));
    parts.is_some_and(|(digest, random)| is_code(digest) && is_code(random))
}

/// Locks a file for this handle; `false` if another one has the lock.
fn try_lock(file: &File) -> io::Result<bool> {
    match fs4::FileExt::try_lock(file) {
        Ok(()) => Ok(true),
        Err(fs4::TryLockError::WouldBlock) => Ok(false),
        Err(fs4::TryLockError::Error(error)) => Err(error),
    }
}

/// Returns options for files that only the user can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = private().create_new(true).open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

/// Checks that a file or a folder belongs to this user or to root, and that others have none of
/// these permissions.
#[cfg(unix)]
fn check_access(metadata: &Metadata, forbidden: u32) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o777);
    let fault = if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        format!("it belongs to another user (with the id {owner})")
    } else if mode & forbidden != 0 {
        let expected = mode & !forbidden;
        format!("other users have access to it: the mode is {mode:03o}, expected {expected:03o}")
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, fault))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
fn check_access(_: &Metadata, _: u32) -> io::Result<()> {
    Ok(())
}

/// Reads a file. Returns `None` if it does not exist.
fn read(path: &Path) -> Result<Option<StoredFile>, StoreError> {
    let mut text = Zeroizing::new(Vec::new());
    let read = File::open(path).and_then(|file| {
        let metadata = file.metadata()?;
        check_access(&metadata, FILE_FORBIDDEN)?;
        // A vector that grows would leave copies in memory.
        let size = usize::try_from(metadata.len().min(FILE_BYTES)).unwrap_or_default();
        text.reserve_exact(size + 1);
        file.take(FILE_BYTES + 1).read_to_end(&mut text)
    });
    match read {
        Ok(size) if u64::try_from(size).is_ok_and(|size| size <= FILE_BYTES) => {}
        Ok(_) => {
            let fault = "the file is too large";
            return Err(at(path, &io::Error::new(io::ErrorKind::InvalidData, fault)));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path, &error)),
    }
    // The error is not kept, because it may quote the content.
    let entry = serde_json::from_slice(&text).map_err(|_| {
        let fault = "the file has been changed by another program, or is damaged";
        at(path, &io::Error::new(io::ErrorKind::InvalidData, fault))
    })?;
    Ok(Some(entry))
}

fn at(path: &Path, error: &io::Error) -> StoreError {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}
