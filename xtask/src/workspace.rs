//! Paths of the workspace, and the content of `schema/`.

use anyhow::{Context, Result, bail};
use codegen::project::{Project, Source};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Returns the cargo that runs this command.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// Returns the output of `cargo metadata`.
pub(crate) fn metadata(options: &[&str]) -> Result<Value> {
    let output = Command::new(cargo())
        .args(["metadata", "--format-version", "1"])
        .args(options)
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed");
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the target folder, which git ignores.
pub(crate) fn target() -> Result<PathBuf> {
    let metadata = metadata(&["--no-deps"])?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder.context("cargo names no target folder")?.into())
}

/// Reads the content of `schema/`.
pub(crate) fn project() -> Result<Project> {
    let folder = root().join("schema");
    let mut schemas = Vec::new();
    let mut facts = Vec::new();
    for name in names(&folder, None)? {
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
        patches.extend(sources(&folder.join(kind))?);
    }
    Ok(Project {
        schemas,
        facts,
        errata: sources(&folder.join("errata"))?,
        patches,
        hints: serde_json::from_str(&read(&folder.join("hints.json"))?)
            .context("schema/hints.json")?,
        doc_texts: object(&folder.join("docs.json"))?,
        examples: object(&folder.join("examples.json"))?,
    })
}

/// Reads a file; the error contains its path.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| display_path(path))
}

/// Formats a path relative to the workspace.
pub(crate) fn display_path(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn object(path: &Path) -> Result<Map<String, Value>> {
    serde_json::from_str(&read(path)?).with_context(|| display_path(path))
}

fn sources(folder: &Path) -> Result<Vec<Source>> {
    names(folder, Some(".json"))?
        .into_iter()
        .map(|name| {
            let file = folder.join(format!("{name}.json"));
            source(name, &file)
        })
        .collect()
}

fn source(name: String, file: &Path) -> Result<Source> {
    Ok(Source {
        name,
        file: display_path(file),
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
