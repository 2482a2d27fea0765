//! The schemas of the corpus, and the packages that contain them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::node::Node;
use crate::{process, python, workspace};

/// A schema of another project.
pub(super) struct Source {
    name: String,
    /// The name for people.
    pub(super) about: String,
    /// The file below the folder of installed packages.
    file: String,
    quick: bool,
}

/// Returns the schemas with these names, or all of them.
pub(super) fn chosen(names: &[String], quick: bool) -> Result<Vec<Source>> {
    let file = workspace::root().join("lab/corpus/schemas/sources.json");
    let list: Value = serde_json::from_str(&workspace::read(&file)?)?;
    let mut sources = Vec::new();
    for entry in list.as_array().context("sources.json is a list")? {
        let text = |name: &str| {
            let text = entry[name].as_str();
            text.map(str::to_owned)
                .with_context(|| format!("sources.json: `{name}` is missing"))
        };
        sources.push(Source {
            name: text("name")?,
            about: text("about")?,
            file: text("file")?,
            quick: entry["quick"] == true,
        });
    }
    if let Some(unknown) = names
        .iter()
        .find(|name| sources.iter().all(|one| one.name != **name))
    {
        let known: Vec<&str> = sources.iter().map(|one| one.name.as_str()).collect();
        bail!(
            "there is no schema `{unknown}`; there are {}",
            known.join(", ")
        );
    }
    sources.retain(|source| {
        let is_named = names.is_empty() || names.contains(&source.name);
        is_named && (source.quick || !quick)
    });
    Ok(sources)
}

/// Where the schemas are that no package contains.
const OWN: &str = "own/";

/// The installed packages.
pub(super) struct Packages {
    /// The folder of the corpus below the target folder.
    pub(super) folder: PathBuf,
    pub(super) python: PathBuf,
    pub(super) node: PathBuf,
    /// The folder of the packages of Python.
    pub(super) site: PathBuf,
}

impl Packages {
    /// Installs the packages. Returns `None` if Node or Python are missing, after a message.
    pub(super) fn install(sources: &[Source]) -> Result<Option<Self>> {
        let Some(node) = Node::find()? else {
            return Ok(None);
        };
        let needs_npm = sources
            .iter()
            .any(|source| source.file.starts_with("node_modules/"));
        let folder = if needs_npm {
            node.install("lab/corpus/schemas")?
        } else {
            node.copy("lab/corpus/schemas")?
        };
        let Some(python) = python::install(&folder)? else {
            return Ok(None);
        };
        let script = "import sysconfig; print(sysconfig.get_path('platlib'))";
        let site_packages = process::output(Command::new(&python).args(["-c", script]))?;
        Ok(Some(Self {
            folder,
            python,
            node: node.program,
            site: site_packages.trim().into(),
        }))
    }

    /// Returns the file of a schema.
    pub(super) fn file(&self, source: &Source) -> PathBuf {
        if let Some(file) = source.file.strip_prefix(OWN) {
            return workspace::root().join("lab/corpus/schemas/own").join(file);
        }
        match source.file.strip_prefix("site-packages/") {
            Some(file) => self.site.join(file),
            None => self.folder.join(&source.file),
        }
    }
}
