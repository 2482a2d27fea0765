//! The workspace of peers, which is not part of any other build.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::workspace;

const FOLDER: &str = "xtask/peers";
/// The workspace of `extensions-rmcp`.
const EXTENSIONS: &str = "xtask/peers/extensions";

/// Runs cargo in the workspace of peers.
pub(crate) fn cargo(command: &[&str], options: &[&str]) -> Result<ExitCode> {
    cargo_in(FOLDER, command, options)
}

fn cargo_in(folder: &str, command: &[&str], options: &[&str]) -> Result<ExitCode> {
    let status = Command::new(workspace::cargo())
        .args(command)
        .args(options)
        .current_dir(workspace::root().join(folder))
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

/// A package, and a list of its features that are enabled in addition to the default ones.
#[derive(Clone, Copy)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) features: &'static str,
}

impl Package {
    /// A package with its default features.
    pub(crate) const fn new(name: &'static str) -> Self {
        let features = "";
        Self { name, features }
    }
}

/// Builds packages, and returns the folder of their programs. Each is built alone: together they
/// would share the features of their dependencies.
pub(crate) fn build(packages: &[Package], profile: Profile) -> Result<PathBuf> {
    let profile = profile.name();
    for Package { name, features } in packages {
        let command = ["build", "--profile", profile, "--package", name];
        if cargo(&command, &["--features", features])? != ExitCode::SUCCESS {
            bail!("cannot build {name}");
        }
    }
    Ok(target(FOLDER)?.join(profile))
}

/// Builds the program with tasks and skills of rmcp, and returns its path.
pub(crate) fn build_extensions() -> Result<PathBuf> {
    if cargo_in(EXTENSIONS, &["build", "--locked"], &[])? != ExitCode::SUCCESS {
        bail!("cannot build extensions-rmcp");
    }
    let name = format!("extensions-rmcp{}", std::env::consts::EXE_SUFFIX);
    Ok(target(EXTENSIONS)?.join("debug").join(name))
}

fn target(folder: &str) -> Result<PathBuf> {
    let manifest = format!("{folder}/Cargo.toml");
    let metadata = workspace::metadata(&["--no-deps", "--manifest-path", &manifest])?;
    let target = metadata["target_directory"].as_str();
    Ok(target.context("cargo names no target folder")?.into())
}
