//! The workspace of the peers, which nothing else ever builds.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::workspace;

const FOLDER: &str = "xtask/peers";

/// Runs cargo in the workspace of the peers.
pub(crate) fn cargo(command: &[&str], options: &[&str]) -> Result<ExitCode> {
    let status = Command::new(workspace::cargo())
        .args(command)
        .args(options)
        .current_dir(workspace::root().join(FOLDER))
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Builds packages for speed, and returns the folder with their programs. Each is built alone:
/// together they would share the features of what they depend on.
pub(crate) fn build(packages: &[&str]) -> Result<PathBuf> {
    for name in packages {
        if cargo(&["build", "--release", "--package", name], &[])? != ExitCode::SUCCESS {
            bail!("cannot build {name}");
        }
    }
    let manifest = format!("{FOLDER}/Cargo.toml");
    let metadata = workspace::metadata(&["--no-deps", "--manifest-path", &manifest])?;
    let target = metadata["target_directory"].as_str();
    let target = target.context("cargo names no target folder")?;
    Ok(PathBuf::from(target).join("release"))
}
