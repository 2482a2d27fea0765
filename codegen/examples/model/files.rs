//! Reads the folder `schema/`.

use std::error::Error;
use std::fs;
use std::path::Path;

use codegen::project::Project;

/// Reads the project of this repository.
pub(crate) fn project() -> Result<Project, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let mut files = Vec::new();
    for entry in fs::read_dir(&root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() {
            files.push((name, fs::read_to_string(entry.path())?));
            continue;
        }
        for inner in fs::read_dir(entry.path())? {
            let inner = inner?;
            let path = format!("{name}/{}", inner.file_name().to_string_lossy());
            files.push((path, fs::read_to_string(inner.path())?));
        }
    }
    Ok(Project::from_files(files)?)
}
