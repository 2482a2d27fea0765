//! [`OldFile`]: replaces a file as a whole.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::EditError;
use crate::files;

/// The maximum size of a file in bytes.
const FILE_BYTES: u64 = 32 << 20;

/// A file before it is changed.
pub(crate) struct OldFile {
    /// The path without symbolic links, which are kept.
    path: PathBuf,
    text: String,
    /// Absent if there is no file yet.
    permissions: Option<Permissions>,
}

impl OldFile {
    /// Reads a file. The text of a file that does not exist is empty.
    pub(crate) fn read(path: &Path, creates_folder: bool) -> Result<Self, EditError> {
        match fs::canonicalize(path) {
            Ok(path) => {
                let about = fs::metadata(&path)?;
                if !about.is_file() {
                    return Err(EditError::NoFile);
                }
                let text = files::text(&path, FILE_BYTES)?;
                let permissions = Some(about.permissions());
                Ok(Self {
                    path,
                    text,
                    permissions,
                })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let path = std::path::absolute(path)?;
                let folder = path.parent().unwrap_or(&path);
                if creates_folder {
                    fs::create_dir_all(folder)?;
                } else if !folder.is_dir() {
                    return Err(EditError::NoFolder);
                }
                Ok(Self {
                    path,
                    text: String::new(),
                    permissions: None,
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the file, unless it has changed. Keeps the old text in a file whose name ends with
    /// `.bak`, unless such a file exists: it has the text before the first change. Readers see
    /// either the old or the new file.
    pub(crate) fn replace(&self, text: &str) -> Result<(), EditError> {
        let new = self.written(text)?;
        if self.permissions.is_some() {
            let old = self.written(&self.text)?;
            if files::text(&self.path, FILE_BYTES)? != self.text {
                return Err(EditError::Changed);
            }
            let mut name = self.path.file_name().unwrap_or_default().to_owned();
            name.push(".bak");
            match old.persist_noclobber(self.path.with_file_name(name)) {
                Err(error) if error.error.kind() != ErrorKind::AlreadyExists => {
                    return Err(error.error.into());
                }
                _ => {}
            }
            // Unlike `persist`, this also replaces a file on Windows that the host has open.
            let new = new.into_temp_path().keep().map_err(|error| error.error)?;
            return fs::rename(&new, &self.path).map_err(|error| {
                let _ = fs::remove_file(&new);
                error.into()
            });
        }
        match new.persist_noclobber(&self.path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(EditError::Changed),
            Err(error) => Err(error.error.into()),
        }
    }

    /// Writes a file beside its place.
    fn written(&self, text: &str) -> Result<NamedTempFile, EditError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let mut builder = Builder::new();
        #[cfg(unix)]
        if self.permissions.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // The usual permissions of a new file; the system takes away what the user does not
            // want.
            builder.permissions(Permissions::from_mode(0o666));
        }
        let mut file = builder.prefix(".mcp-").tempfile_in(folder)?;
        if let Some(permissions) = &self.permissions {
            file.as_file().set_permissions(permissions.clone())?;
        }
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// Waits until no other process with this program changes a file of a host. The lock ends with the
/// returned file.
pub(crate) fn lock(folder: &Path) -> io::Result<File> {
    private_folder(folder)?;
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    let file = options.open(folder.join("install.lock"))?;
    fs4::FileExt::lock(&file)?;
    Ok(file)
}

/// Creates a folder that only the user can read.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
