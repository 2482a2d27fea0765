//! `cargo xtask release`: checks what cargo does not check before it publishes. CONTRIBUTING.md has the
//! steps of a release.

mod changelog;
mod manifest;

use anyhow::{Context as _, Result};

use crate::workspace;

/// Names that were taken when they were looked up in November 2026, and what has them. The check
/// needs no network. The published name of a package must not be listed.
const TAKEN: [(&str, &str); 8] = [
    ("mcp-types", "bindings of another project"),
    ("mcp-server", "a former crate of the official Rust SDK"),
    ("mcp-client", "a former crate of the official Rust SDK"),
    ("mcp-cli", "a debugger for servers"),
    ("mcp-host", "a framework of another project"),
    ("mcp-gateway", "a gateway of another project"),
    ("mcp-guard", "a program of another project"),
    ("mcp-oauth", "a server of another project"),
];

/// What the check found.
#[derive(Default)]
struct Findings {
    /// Each of them prevents a release.
    faults: Vec<String>,
    /// What a maintainer should know or do before a release.
    warnings: Vec<String>,
}

/// Runs the command. Returns `false` if something prevents a release.
pub(crate) fn run() -> Result<bool> {
    let metadata = workspace::metadata(&["--no-deps"])?;
    let packages: Vec<_> = workspace::packages(&metadata)
        .filter(|package| package["publish"].is_null())
        .collect();
    let first = packages.first().and_then(|first| first["version"].as_str());
    let version = first.context("no package of the workspace can be published")?;
    let mut findings = Findings::default();
    manifest::check(&packages, version, &mut findings);
    let text = workspace::read(&workspace::root().join("CHANGELOG.md"))?;
    changelog::check(&text, version, &mut findings);
    let is_taken = |name: &str| packages.iter().any(|package| package["name"] == name);
    for (name, what) in TAKEN.iter().filter(|(name, _)| is_taken(name)) {
        findings.warnings.push(format!(
            "the name `{name}` belongs to others on crates.io ({what}); VERSIONING.md proposes another"
        ));
    }
    for warning in &findings.warnings {
        println!("warning: {warning}");
    }
    for fault in &findings.faults {
        println!("error: {fault}");
    }
    if findings.faults.is_empty() {
        let count = packages.len();
        println!("release: the files of {count} packages are ready for version {version}");
    }
    Ok(findings.faults.is_empty())
}
