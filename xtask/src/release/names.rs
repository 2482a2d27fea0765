//! Names of packages on crates.io that belong to others.

use super::Findings;
use super::package::Package;

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

/// With this prefix, the names of all packages were free.
const PREFIX: &str = "exact-";

pub(super) fn check(packages: &[Package], findings: &mut Findings) {
    for package in packages {
        if let Some((name, what)) = TAKEN.iter().find(|(name, _)| *name == package.name) {
            let proposed = proposed(name);
            findings.warnings.push(format!(
                "the name `{name}` belongs to others on crates.io ({what}); proposed: `{proposed}`"
            ));
        }
    }
}

/// Returns `true` if a name belongs to others, so that all packages need the prefix.
pub(super) fn are_taken(packages: &[Package]) -> bool {
    let mut names = packages.iter().map(|package| package.name.as_str());
    names.any(|name| TAKEN.iter().any(|(taken, _)| *taken == name))
}

/// Returns the proposed name of a package.
pub(super) fn proposed(name: &str) -> String {
    format!("{PREFIX}{name}")
}
