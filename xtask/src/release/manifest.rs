//! Checks versions and metadata of the packages.

use serde_json::Value;

use super::Findings;
use super::package::Package;

/// The limits of crates.io.
const MOST_KEYWORDS: usize = 5;
const KEYWORD_LENGTH: usize = 20;
const MOST_CATEGORIES: usize = 5;

pub(super) fn check(packages: &[Package], findings: &mut Findings) {
    for package in packages {
        let manifest = package.manifest();
        let mut faults = metadata(package);
        faults.extend(versions(package, packages));
        let faults = faults.into_iter();
        findings
            .faults
            .extend(faults.map(|fault| format!("{manifest}: {fault}")));
    }
    let is_without = |package: &&Package| package.metadata["repository"].is_null();
    let without: Vec<&str> = packages
        .iter()
        .filter(is_without)
        .map(|package| package.name.as_str())
        .collect();
    if !without.is_empty() {
        let names = without.join(", ");
        findings.warnings.push(format!("no `repository`: {names}"));
    }
}

/// Returns versions that differ from those of the other packages, and requirements that do not
/// name exactly the version of a dependency.
fn versions(package: &Package, packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(first) = packages
        .first()
        .filter(|one| one.version != package.version)
    {
        let (version, name, expected) = (&package.version, &first.name, &first.version);
        faults.push(format!("version {version}, but {name} has {expected}"));
    }
    for (name, requirement) in package.dependencies() {
        let Some(dependency) = packages.iter().find(|one| one.name == name) else {
            faults.push(format!("depends on {name}, which is not published"));
            continue;
        };
        let expected = format!("^{}", dependency.version);
        if requirement != expected {
            faults.push(format!(
                "requires {name} {requirement}; expected {expected}"
            ));
        }
    }
    faults
}

/// Returns missing or invalid metadata.
fn metadata(package: &Package) -> Vec<String> {
    let metadata = &package.metadata;
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
        if keyword.len() > KEYWORD_LENGTH {
            let length = keyword.len();
            let most = format!("at most {KEYWORD_LENGTH}");
            faults.push(format!(
                "keyword `{keyword}` has {length} characters; expected {most}"
            ));
        } else if !starts_plain || !keyword.chars().all(is_plain) {
            let expected = "expected ASCII letters, digits, `-`, `_` or `+`";
            faults.push(format!("invalid keyword `{keyword}`; {expected}"));
        }
    }
    faults
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}
