//! The packages that can be published.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::workspace;

/// A package of the workspace that can be published.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// The folder of its `Cargo.toml`.
    pub(super) folder: PathBuf,
    /// The package as `cargo metadata` describes it.
    pub(super) metadata: Value,
}

impl Package {
    fn new(metadata: &Value) -> Self {
        let text = |member: &str| metadata[member].as_str().unwrap_or_default().to_owned();
        let mut folder = PathBuf::from(text("manifest_path"));
        folder.pop();
        Self {
            name: text("name"),
            version: text("version"),
            folder,
            metadata: metadata.clone(),
        }
    }

    /// Returns the path of the manifest in the workspace.
    pub(super) fn manifest(&self) -> String {
        workspace::display_path(&self.folder.join("Cargo.toml"))
    }

    /// Returns the name and the version, as in the name of the package's file.
    pub(super) fn file_stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Returns `true` if the package contains a library.
    pub(super) fn has_library(&self) -> bool {
        let targets = self.metadata["targets"].as_array().into_iter().flatten();
        let mut kinds = targets.flat_map(|target| target["kind"].as_array().into_iter().flatten());
        kinds.any(|kind| kind == "lib")
    }

    /// Returns names and version requirements of the dependencies on packages of the workspace.
    /// Dependencies of tests without a version are left out, as cargo removes them from packages.
    pub(super) fn dependencies(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.metadata["dependencies"]
            .as_array()
            .into_iter()
            .flatten();
        let own = all.filter(|dependency| !dependency["path"].is_null());
        let own = own.map(|one| (one["name"].as_str(), one["req"].as_str(), &one["kind"]));
        own.filter_map(|(name, requirement, kind)| {
            let requirement = requirement?;
            (kind != "dev" || requirement != "*").then_some((name?, requirement))
        })
    }
}

/// Returns the packages that can be published, each after those that it depends on.
///
/// # Errors
///
/// Returns an error if cargo cannot read the workspace, or if packages depend on each other in a
/// circle.
pub(super) fn published() -> Result<Vec<Package>> {
    let metadata = workspace::metadata(&["--no-deps"])?;
    let published = workspace::packages(&metadata).filter(|package| package["publish"].is_null());
    in_order(published.map(Package::new).collect())
}

fn in_order(mut left: Vec<Package>) -> Result<Vec<Package>> {
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let waiting: BTreeSet<String> = left.iter().map(|one| one.name.clone()).collect();
        let is_ready = |package: &Package| {
            let mut needed = package.dependencies();
            needed.all(|(name, _)| !waiting.contains(name))
        };
        let (ready, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_ready);
        if ready.is_empty() {
            let names: Vec<String> = rest.into_iter().map(|one| one.name).collect();
            bail!(
                "packages depend on each other in a circle: {}",
                names.join(", ")
            );
        }
        ordered.extend(ready);
        left = rest;
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Package, in_order};

    fn package(name: &str, dependencies: &[(&str, &str, Option<&str>)]) -> Package {
        let dependencies = dependencies.iter().map(|(name, requirement, kind)| {
            json!({ "name": name, "req": requirement, "kind": kind, "path": "/x" })
        });
        Package::new(&json!({
            "name": name,
            "version": "1.0.0",
            "manifest_path": "/x/Cargo.toml",
            "dependencies": dependencies.collect::<Vec<_>>(),
        }))
    }

    #[test]
    fn packages_follow_their_dependencies() {
        let packages = vec![
            package(
                "cli",
                &[
                    ("client", "^1.0.0", None),
                    ("server", "^1.0.0", Some("dev")),
                ],
            ),
            // Cargo removes this dependency from the package.
            package(
                "server",
                &[("types", "^1.0.0", None), ("client", "*", Some("dev"))],
            ),
            package(
                "client",
                &[("types", "^1.0.0", None), ("server", "*", Some("dev"))],
            ),
            package("types", &[]),
        ];
        let ordered = in_order(packages).unwrap();
        let names: Vec<&str> = ordered.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["types", "server", "client", "cli"]);
    }

    #[test]
    fn circles_are_errors() {
        let packages = vec![
            package("a", &[]),
            package("b", &[("c", "^1.0.0", None)]),
            package("c", &[("b", "^1.0.0", Some("dev"))]),
        ];
        let error = in_order(packages).err().unwrap().to_string();
        assert_eq!(error, "packages depend on each other in a circle: b, c");
    }
}
