//! The steps that run tools of cargo which are not part of a toolchain. Without the tool, a step is
//! skipped.

use anyhow::Result;

use super::features::feature_names;
use super::{Extent, Task};
use crate::ci::cargo::Cargo;
use crate::{process, workspace};

/// Checks licences, sources and duplicates of dependencies, as `deny.toml` says; at night also
/// advisories, whose database is downloaded.
pub(super) fn deny(extent: Extent) -> Task {
    if !has("deny") {
        return skip("cargo-deny is not installed");
    }
    Task::Run(Cargo::new(match extent {
        Extent::Merge => "deny check bans licenses sources",
        Extent::Nightly => "deny check",
    }))
}

/// Compares the public items of the libraries with those of the newest release.
pub(super) fn semver() -> Result<Vec<Task>> {
    let Some(tag) = newest_release() else {
        return Ok(vec![skip("no release has a tag yet")]);
    };
    if !has("semver-checks") {
        return Ok(vec![skip("cargo-semver-checks is not installed")]);
    }
    let mut tasks = Vec::new();
    let members = workspace::members()?;
    for library in members.iter().filter(|member| member.is_library) {
        let package = library.name.as_str();
        let mut features = feature_names(package)?;
        features.retain(|name| !["draft", "proposals"].contains(&name.as_str()));
        let line = format!("semver-checks --package {package} --baseline-rev {tag}");
        let options = ["--default-features", "--features", &features.join(",")];
        tasks.push(Task::Run(Cargo::new(&line).and(&options)));
    }
    Ok(tasks)
}

/// Returns the tag of the newest release before this commit.
fn newest_release() -> Option<String> {
    let describe = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"];
    let tag = workspace::git(&describe).ok()?;
    Some(tag.trim().to_owned())
}

/// Returns `true` if a subcommand of cargo is installed.
pub(super) fn has(subcommand: &str) -> bool {
    process::succeeds_quietly(workspace::cargo().args([subcommand, "--version"]))
}

fn skip(why: &str) -> Task {
    Task::Skip(why.to_owned())
}
