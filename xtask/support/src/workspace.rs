//! Paths of the workspace, cargo, and files.

use std::ffi::OsString;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::process;

/// Names another root of the workspace. A rehearsal sets it to run the commands in its copy.
pub const ROOT_VARIABLE: &str = "XTASK_WORKSPACE";

/// Names the program of `cargo xtask` for the commands of the lab, which would otherwise wait for other
/// builds before they could start it.
pub const PROGRAM_VARIABLE: &str = "XTASK_PROGRAM";

/// Returns the root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    if let Some(root) = std::env::var_os(ROOT_VARIABLE) {
        return root.into();
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// Returns a command of the cargo that runs this program, without the variables that say which package this
/// program belongs to: build scripts would run again if they read other values than in a terminal.
#[must_use]
pub fn cargo() -> Command {
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

/// Runs a command of `cargo xtask` from a program of the lab. Returns `true` if it succeeds.
pub fn xtask(arguments: &[&str]) -> Result<bool> {
    let mut command = if let Some(program) = std::env::var_os(PROGRAM_VARIABLE) {
        Command::new(program)
    } else {
        let mut cargo = cargo();
        cargo.arg("xtask");
        cargo
    };
    process::succeeds(command.args(arguments).current_dir(root()))
}

/// Returns the output of `cargo metadata`.
pub fn metadata(options: &[&str]) -> Result<Value> {
    let mut command = cargo();
    command
        .args(["metadata", "--format-version", "1"])
        .args(options);
    command.stderr(Stdio::inherit());
    let output = process::output(command.current_dir(root()))?;
    Ok(serde_json::from_str(&output)?)
}

/// Returns the target folder, which git ignores.
pub fn target() -> Result<PathBuf> {
    target_of("Cargo.toml")
}

/// Returns the target folder of the workspace that a manifest below the root belongs to.
pub fn target_of(manifest: &str) -> Result<PathBuf> {
    let metadata = metadata(&["--no-deps", "--manifest-path", manifest])?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder.context("cargo names no target folder")?.into())
}

/// Returns `true` if the compiler has the standard library of a target.
#[must_use]
pub fn has_target(target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    let folder = process::output(rustc.args(["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// Returns the packages in the output of `cargo metadata`.
pub fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// Reads a file; the error contains its path.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| display_path(path))
}

/// Writes a file and the folders that contain it, unless it has this content: cargo compiles files
/// anew that were written.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path)).with_context(|| display_path(path))?;
    fs::write(path, content).with_context(|| display_path(path))
}

/// Returns the sorted paths of all files below a folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
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
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let content = fs::read(&file).with_context(|| display_path(&file))?;
        write(&to.join(file.strip_prefix(from)?), &content)?;
    }
    Ok(())
}

/// Returns a path as text, for a command line.
pub fn text(path: &Path) -> Result<&str> {
    let text = path.to_str();
    text.with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Formats a path relative to the workspace.
#[must_use]
pub fn display_path(path: &Path) -> String {
    with_slashes(path.strip_prefix(root()).unwrap_or(path))
}

/// Formats a path with `/` between its parts, as git and links have it, also on Windows.
#[must_use]
pub fn with_slashes(path: &Path) -> String {
    path.display().to_string().replace(MAIN_SEPARATOR, "/")
}

/// Returns the sorted names in a folder. With a suffix, returns only names that have it, without
/// it.
pub fn names(folder: &Path, ending: Option<&str>) -> Result<Vec<String>> {
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
