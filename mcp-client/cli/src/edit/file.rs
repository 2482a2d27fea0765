//! [`OldFile`]: replaces a file as a whole.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use super::EditError;

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
    /// Reads a file. If there is none, its text is empty.
    pub(crate) fn read(path: &Path, creates_folder: bool) -> Result<Self, EditError> {
        match fs::canonicalize(path) {
            Ok(path) => {
                let text = read(&path)?;
                let permissions = Some(fs::metadata(&path)?.permissions());
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

    /// Replaces the file, unless it has changed, and keeps the old text in a file whose name ends
    /// with `.bak`. Readers see either the old or the new file.
    pub(crate) fn replace(&self, text: &str) -> Result<(), EditError> {
        if self.permissions.is_some() {
            if read(&self.path)? != self.text {
                return Err(EditError::Changed);
            }
            let mut name = self.path.file_name().unwrap_or_default().to_owned();
            name.push(".bak");
            self.write(&self.path.with_file_name(name), &self.text)?;
        } else if self.path.exists() {
            return Err(EditError::Changed);
        }
        self.write(&self.path, text)
    }

    /// Writes a file beside its place, and moves it there.
    fn write(&self, path: &Path, text: &str) -> Result<(), EditError> {
        let folder = path.parent().unwrap_or(path);
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
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn read(path: &Path) -> Result<String, EditError> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?.take(FILE_BYTES + 1);
    file.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(EditError::TooLarge(FILE_BYTES));
    }
    let text = String::from_utf8(bytes);
    Ok(text.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?)
}
