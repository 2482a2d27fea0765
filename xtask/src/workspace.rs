//! The packages and files of the workspace, and the content of `schema/`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use codegen::project::Project;
use serde_json::Value;

use crate::process;

pub(crate) use xtask_support::workspace::*;

/// A package of the workspace.
pub(crate) struct Member {
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: String,
    pub(crate) is_published: bool,
    /// Whether it is a library that is published.
    pub(crate) is_library: bool,
}

/// Returns all packages of the workspace.
pub(crate) fn members() -> Result<Vec<Member>> {
    let metadata = metadata(&["--no-deps"])?;
    let member = |package: &Value| -> Option<Member> {
        let mut targets = package["targets"].as_array().into_iter().flatten();
        let is_library = |target: &Value| {
            target["kind"]
                .as_array()
                .is_some_and(|kinds| kinds.contains(&"lib".into()))
        };
        let is_published = package["publish"].is_null();
        Some(Member {
            is_published,
            name: package["name"].as_str()?.to_owned(),
            folder: display_path(Path::new(package["manifest_path"].as_str()?).parent()?),
            is_library: is_published && targets.any(is_library),
        })
    };
    Ok(packages(&metadata).filter_map(member).collect())
}

/// Returns the output of git.
pub(crate) fn git(arguments: &[&str]) -> Result<String> {
    process::output(Command::new("git").args(arguments).current_dir(root()))
}

/// Returns the files that git tracks or would add, and that match one of the patterns, if there are
/// any.
pub(crate) fn known_files(patterns: &[&str]) -> Result<Vec<String>> {
    let list = "ls-files -z --cached --others --exclude-standard --";
    let list: Vec<&str> = list.split(' ').collect();
    let names = git(&[&list, patterns].concat())?;
    let names = names.split('\0').filter(|name| !name.is_empty());
    // Files that were removed may still be in the index.
    let files = names.filter(|name| root().join(name).is_file());
    Ok(files.map(str::to_owned).collect())
}

/// Reads the content of `schema/`.
pub(crate) fn project() -> Result<Project> {
    project_in(&root().join("schema"))
}

/// Reads the content of a folder with the files of `schema/`.
pub(crate) fn project_in(folder: &Path) -> Result<Project> {
    let mut contents = Vec::new();
    for path in files(folder)? {
        let name = with_slashes(path.strip_prefix(folder)?);
        contents.push((name, read(&path)?));
    }
    Ok(Project::from_files(contents)?)
}

/// Returns the revisions that a folder of schemas has, oldest first, without the draft. They are
/// dates, which sort as text.
pub(crate) fn revisions(folder: &Path) -> Result<Vec<String>> {
    let mut names = names(folder, None)?;
    names.retain(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    Ok(names)
}
