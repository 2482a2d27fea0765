//! Checks versions and metadata of the packages.

use std::path::Path;

use serde_json::{Value, json};

use super::Findings;
use crate::workspace;

/// The limits of crates.io.
const MOST_KEYWORDS: usize = 5;
const KEYWORD_LENGTH: usize = 20;
const MOST_CATEGORIES: usize = 5;

/// Checks the packages that can be published, as `cargo metadata` describes them.
pub(super) fn check(packages: &[&Value], version: &str, findings: &mut Findings) {
    let mut without = Vec::new();
    for package in packages {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = workspace::display_path(Path::new(manifest));
        let mut faults = metadata(package);
        faults.extend(versions(package, packages, version));
        let faults = faults.iter().map(|fault| format!("{manifest}: {fault}"));
        findings.faults.extend(faults);
        if package["repository"].is_null() {
            without.push(package["name"].as_str().unwrap_or_default());
        }
    }
    if !without.is_empty() {
        let names = without.join(", ");
        findings.warnings.push(format!("no `repository`: {names}"));
    }
}

/// Returns a version that differs from that of the other packages, and requirements that permit more than
/// the version of a dependency.
fn versions(package: &Value, packages: &[&Value], expected: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if package["version"] != expected {
        let (version, first) = (&package["version"], &packages[0]["name"]);
        faults.push(format!("version {version}, but {first} has \"{expected}\""));
    }
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    for dependency in dependencies.filter(|one| !one["path"].is_null()) {
        let (name, requirement) = (&dependency["name"], &dependency["req"]);
        // Cargo removes dependencies of tests without a version from packages.
        if dependency["kind"] == "dev" && requirement == "*" {
            continue;
        }
        let found = packages.iter().find(|one| one["name"] == *name);
        match found.and_then(|one| one["version"].as_str()) {
            None => faults.push(format!("depends on {name}, which is not published")),
            Some(version) if *requirement != format!("={version}") => {
                faults.push(format!(
                    "requires {name} {requirement}; expected \"={version}\""
                ));
            }
            Some(_) => {}
        }
    }
    faults
}

/// Returns missing or invalid metadata.
fn metadata(metadata: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for member in ["description", "license", "readme", "rust_version"] {
        if metadata[member].as_str().is_none_or(str::is_empty) {
            faults.push(format!("no `{}`", member.replace('_', "-")));
        }
    }
    let keywords = texts(&metadata["keywords"]);
    let categories = texts(&metadata["categories"]);
    for (what, count, most) in [
        ("keywords", keywords.len(), MOST_KEYWORDS),
        ("categories", categories.len(), MOST_CATEGORIES),
    ] {
        if !(1..=most).contains(&count) {
            faults.push(format!("{count} {what}; expected 1 to {most}"));
        }
    }
    for keyword in keywords {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_+".contains(c);
        let starts_plain = keyword.starts_with(|c: char| c.is_ascii_alphanumeric());
        if keyword.len() > KEYWORD_LENGTH || !starts_plain || !keyword.chars().all(is_plain) {
            faults.push(format!(
                "invalid keyword `{keyword}`; expected at most {KEYWORD_LENGTH} ASCII letters, digits, \
                 `-`, `_` or `+`"
            ));
        }
    }
    // The step `package` of `ci` builds the documentation with these options.
    let docs = &metadata["metadata"]["docs"]["rs"];
    let expected = json!({ "all-features": true, "rustdoc-args": ["--cfg", "docsrs"] });
    if !docs.is_null() && *docs != expected {
        faults.push(format!("`package.metadata.docs.rs`: expected {expected}"));
    }
    faults
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}
