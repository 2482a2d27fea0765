//! `lab/`: the workspace of programs that measure, attack and compare. No other build contains it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{process, workspace};

/// The folder of the workspace.
const FOLDER: &str = "lab";
/// The workspace of `extensions-rmcp`.
const EXTENSIONS: &str = "lab/extensions";

/// Runs cargo in this workspace. Returns `true` if it succeeds.
pub(crate) fn cargo(command: &[&str], options: &[&str]) -> Result<bool> {
    process::succeeds(cargo_in(FOLDER).args(command).args(options))
}

fn cargo_in(folder: &str) -> Command {
    let mut cargo = workspace::cargo();
    cargo.current_dir(workspace::root().join(folder));
    cargo
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
        let mut cargo = cargo_in(FOLDER);
        cargo.args(["build", "--profile", profile, "--package", name]);
        process::run(cargo.args(["--features", features]))?;
    }
    Ok(target(FOLDER)?.join(profile))
}

/// Builds the program with tasks and skills of rmcp, and returns its path.
pub(crate) fn build_extensions() -> Result<PathBuf> {
    process::run(cargo_in(EXTENSIONS).args(["build", "--locked"]))?;
    let name = format!("extensions-rmcp{}", std::env::consts::EXE_SUFFIX);
    Ok(target(EXTENSIONS)?.join("debug").join(name))
}

fn target(folder: &str) -> Result<PathBuf> {
    workspace::target_of(&format!("{folder}/Cargo.toml"))
}
