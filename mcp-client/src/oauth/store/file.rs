//! [`FileStore`]: one file for each key, in a folder that only the user can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_types::oauth::{random, sha256};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use zeroize::Zeroizing;

use super::token_store::{StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};
use crate::oauth::secret::Secret;

/// How long a process waits for the lock of another one. A refresh takes less.
const LOCK_TIME: Duration = Duration::from_secs(60);
/// How often the lock is tried.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// The maximum size of a file in bytes.
const FILE_BYTES: u64 = 1 << 20;

/// Keeps tokens in the files of a folder. Several processes can use the same folder.
///
/// On Unix, the folder has the mode 0700 and the files have 0600. On other systems they have the
/// permissions that files get in that folder: choose one in the profile of the user. The tokens are
/// not encrypted. A file is replaced as a whole, so that a crash leaves the old or the new one.
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
        created.map_err(|error| at(&self.folder, &error))
    }

    fn write(&self, key: &StoreKey, value: &Secret) -> Result<(), StoreError> {
        self.create_folder()?;
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
            let entry = read(&store.path(&key, "json"))?;
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
            let path = store.path(&key, "json");
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path, &error)),
                _ => Ok(()),
            }
        })
    }

    fn keys(&self) -> StoreFuture<'_, Vec<StoreKey>> {
        self.blocking(|store| {
            let files = match fs::read_dir(&store.folder) {
                Ok(files) => files,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(error) => return Err(at(&store.folder, &error)),
            };
            let mut keys = Vec::new();
            for file in files {
                let path = file.map_err(|error| at(&store.folder, &error))?.path();
                if path
                    .extension()
                    .is_some_and(|extension| extension == "json")
                    && let Some(entry) = read(&path)?
                {
                    keys.push(entry.key);
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
            // Closing the file releases the lock, also if the process is killed. The file is kept: a
            // process that waits for it would otherwise lock one that is no longer there.
            let lock: StoreLock = Box::new(file);
            Ok(lock)
        })
    }
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

/// Reads a file. Returns `None` if it does not exist.
fn read(path: &Path) -> Result<Option<StoredFile>, StoreError> {
    let size = match fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path, &error)),
    };
    if size > FILE_BYTES {
        let fault = "the file is too large";
        return Err(at(path, &io::Error::new(io::ErrorKind::InvalidData, fault)));
    }
    let text = match fs::read(path) {
        Ok(text) => Zeroizing::new(text),
        // It was removed meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path, &error)),
    };
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
