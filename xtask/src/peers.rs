//! The workspace of peers, which is not part of any other build.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::workspace;

const FOLDER: &str = "xtask/peers";

/// Runs cargo in the workspace of peers.
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

/// How packages are optimized.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// For measurements.
    Release,
    /// For a quick check: less optimized, and compiled in half the time.
    Quick,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Quick => "quick",
        }
    }
}

/// Builds packages, and returns the folder of their programs. Each is built alone: together they would
/// share the features of their dependencies. A package may be followed by options, such as features.
pub(crate) fn build(packages: &[&str], profile: Profile) -> Result<PathBuf> {
    let profile = profile.name();
    for package in packages {
        let package: Vec<&str> = package.split(' ').collect();
        let command = ["build", "--profile", profile, "--package"];
        if cargo(&command, &package)? != ExitCode::SUCCESS {
            bail!("cannot build {}", package.join(" "));
        }
    }
    let manifest = format!("{FOLDER}/Cargo.toml");
    let metadata = workspace::metadata(&["--no-deps", "--manifest-path", &manifest])?;
    let target = metadata["target_directory"].as_str();
    let target = target.context("cargo names no target folder")?;
    Ok(PathBuf::from(target).join(profile))
}
