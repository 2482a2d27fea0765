//! Builds and runs packages of this workspace, and the commands that stay in `xtask`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{process, workspace};

/// Runs cargo in this workspace. Returns `true` if it succeeds.
#[cfg(feature = "bench")]
pub(crate) fn cargo(command: &[&str], options: &[&str]) -> Result<bool> {
    process::succeeds(in_lab().args(command).args(options))
}

fn in_lab() -> Command {
    let mut cargo = workspace::cargo();
    cargo.current_dir(workspace::root().join("lab"));
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
pub(crate) struct Package<'a> {
    pub(crate) name: &'a str,
    pub(crate) features: &'a str,
}

impl<'a> Package<'a> {
    /// A package with its default features.
    pub(crate) const fn new(name: &'a str) -> Self {
        let features = "";
        Self { name, features }
    }
}

/// Builds packages, and returns the folder of their programs. Each is built alone: together they
/// would share the features of their dependencies.
pub(crate) fn build(packages: &[Package<'_>], profile: Profile) -> Result<PathBuf> {
    let profile = profile.name();
    for Package { name, features } in packages {
        let mut cargo = in_lab();
        cargo.args(["build", "--profile", profile, "--package", name]);
        process::run(cargo.args(["--features", features]))?;
    }
    let target = workspace::target_of("lab/Cargo.toml")?;
    Ok(target.join(profile))
}
