//! Paths of the workspace, and the content of `schema/`.

use anyhow::{Context, Result};
use codegen::hints::Hints;
use codegen::project::{Project, Source};
use codegen::schema;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process;

/// Names another root of the workspace. A rehearsal sets it to run the commands in its copy.
pub(crate) const ROOT_VARIABLE: &str = "XTASK_WORKSPACE";

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    if let Some(root) = std::env::var_os(ROOT_VARIABLE) {
        return root.into();
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// Returns a command of the cargo that runs this program, without the variables that say which package this
/// program belongs to: build scripts would run again if they read other values than in a terminal.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    let of_package = |name: &str| {
        ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
    command
}

/// Returns the output of `cargo metadata`.
pub(crate) fn metadata(options: &[&str]) -> Result<Value> {
    let mut command = cargo();
    command
        .args(["metadata", "--format-version", "1"])
        .args(options);
    command.stderr(Stdio::inherit());
    let output = process::output(command.current_dir(root()))?;
    Ok(serde_json::from_str(&output)?)
}

/// Returns the target folder, which git ignores.
pub(crate) fn target() -> Result<PathBuf> {
    target_of("Cargo.toml")
}

/// Returns the target folder of the workspace that a manifest below the root belongs to.
pub(crate) fn target_of(manifest: &str) -> Result<PathBuf> {
    let metadata = metadata(&["--no-deps", "--manifest-path", manifest])?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder.context("cargo names no target folder")?.into())
}

/// Returns the packages in the output of `cargo metadata`.
pub(crate) fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// A package of the workspace.
pub(crate) struct Member {
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: String,
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
        Some(Member {
            name: package["name"].as_str()?.to_owned(),
            folder: display_path(Path::new(package["manifest_path"].as_str()?).parent()?),
            is_library: package["publish"].is_null() && targets.any(is_library),
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
    let list = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
    ];
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
    let source = |name, file: &Path| source(folder, name, file);
    let mut schemas = Vec::new();
    let mut facts = Vec::new();
    for name in names(folder, None)? {
        let file = folder.join(&name).join("schema.json");
        if file.is_file() {
            schemas.push(source(name.clone(), &file)?);
        }
        let file = folder.join(&name).join("facts.json");
        if file.is_file() {
            facts.push(source(name, &file)?);
        }
    }
    let mut patches = Vec::new();
    for kind in ["extensions", "proposals"] {
        patches.extend(sources(folder, kind)?);
    }
    Ok(Project {
        schemas,
        facts,
        errata: sources(folder, "errata")?,
        patches,
        hints: Hints::parse("schema/hints.json", &read(&folder.join("hints.json"))?)?,
        doc_texts: object(&folder.join("docs.json"))?,
        examples: object(&folder.join("examples.json"))?,
    })
}

/// Reads a file; the error contains its path.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| display_path(path))
}

/// Writes a file and the folders that contain it, unless it has this content: cargo compiles files
/// anew that were written.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path)).with_context(|| display_path(path))?;
    fs::write(path, content).with_context(|| display_path(path))
}

/// Returns the sorted paths of all files below a folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in names(folder, None)? {
        let path = folder.join(name);
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Copies all files below a folder.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let content = fs::read(&file).with_context(|| display_path(&file))?;
        write(&to.join(file.strip_prefix(from)?), &content)?;
    }
    Ok(())
}

/// Returns a path as text, for a command line.
pub(crate) fn text(path: &Path) -> Result<&str> {
    let text = path.to_str();
    text.with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Formats a path relative to the workspace.
pub(crate) fn display_path(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn object(path: &Path) -> Result<Map<String, Value>> {
    schema::parse(&read(path)?).with_context(|| display_path(path))
}

fn sources(root: &Path, kind: &str) -> Result<Vec<Source>> {
    let folder = root.join(kind);
    names(&folder, Some(".json"))?
        .into_iter()
        .map(|name| {
            let file = folder.join(format!("{name}.json"));
            source(root, name, &file)
        })
        .collect()
}

/// Reads a file below the folder `root`. Messages name it by its path from `schema` on.
fn source(root: &Path, name: String, file: &Path) -> Result<Source> {
    let path = Path::new("schema").join(file.strip_prefix(root)?);
    Ok(Source {
        name,
        file: path.display().to_string(),
        text: read(file)?,
    })
}

/// Returns the revisions that a folder of schemas has, oldest first, without the draft. They are
/// dates, which sort as text.
pub(crate) fn revisions(folder: &Path) -> Result<Vec<String>> {
    let mut names = names(folder, None)?;
    names.retain(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    Ok(names)
}

/// Returns the sorted names in a folder. With a suffix, returns only names that have it, without
/// it.
pub(crate) fn names(folder: &Path, ending: Option<&str>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| display_path(folder))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        match ending {
            None => names.push(name),
            Some(ending) => names.extend(name.strip_suffix(ending).map(str::to_owned)),
        }
    }
    names.sort();
    Ok(names)
}
