//! A folder for a test.

use std::path::PathBuf;

/// A folder in that of temporary files. It is removed when this value is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// The folder does not exist yet. The name must be that of one test only.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("mcp-client-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) fn created(self) -> Self {
        std::fs::create_dir(&self.0).expect("a folder");
        self
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("text").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
