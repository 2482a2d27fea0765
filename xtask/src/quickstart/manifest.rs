//! [`Manifest`]: the manifest that the commands `cargo add` make. They need no network here: the
//! versions are those of the workspace.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::workspace;

/// A manifest of cargo.
pub(super) struct Manifest {
    name: String,
    dependencies: String,
    dev_dependencies: String,
}

impl Manifest {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            dependencies: String::new(),
            dev_dependencies: String::new(),
        }
    }

    /// Adds what a line `cargo add` adds. A path ends with the path of the package in the workspace,
    /// of which the reader has a clone in the folder `mcp`.
    pub(super) fn add(&mut self, command: &str) -> Result<()> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let ["cargo", "add", rest @ ..] = words.as_slice() else {
            bail!("not `cargo add`: {command}");
        };
        let mut packages = Vec::new();
        let mut features = Vec::new();
        let mut default = "";
        let mut section = &mut self.dependencies;
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            match *word {
                "--path" => {
                    let path = words.next().context("no path")?;
                    let path = path.split_once("mcp/").context("not in `mcp/`")?.1;
                    let folder = workspace::root().join(path);
                    let name = package_name(&folder)?;
                    let path = folder.display().to_string();
                    packages.push(format!("{name} = {{ path = {path:?}"));
                }
                "--features" => features.extend(words.next().context("no features")?.split(',')),
                "--no-default-features" => default = ", default-features = false",
                "--dev" => section = &mut self.dev_dependencies,
                package => {
                    let (name, version) = package.split_once('@').context("no version")?;
                    packages.push(format!("{name} = {{ version = {version:?}"));
                }
            }
        }
        for package in packages {
            writeln!(section, "{package}{default}, features = {features:?} }}")?;
        }
        Ok(())
    }

    /// Writes the manifest, and a lock file with the versions with which the workspace is tested.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let Self {
            name,
            dependencies,
            dev_dependencies,
        } = self;
        let text = format!(
            "[workspace]\n\n[package]\nname = {name:?}\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\n{dependencies}\n[dev-dependencies]\n{dev_dependencies}"
        );
        workspace::write(&folder.join("Cargo.toml"), text.as_bytes())?;
        let lock = workspace::read(&workspace::root().join("Cargo.lock"))?;
        workspace::write(&folder.join("Cargo.lock"), lock.as_bytes())
    }
}

/// Returns the name of the package in a folder, which need not be that of the folder.
fn package_name(folder: &Path) -> Result<String> {
    let manifest = workspace::read(&folder.join("Cargo.toml"))?;
    let name = manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = \""));
    let name = name.and_then(|rest| rest.strip_suffix('"'));
    Ok(name.context("the package has no name")?.to_owned())
}
