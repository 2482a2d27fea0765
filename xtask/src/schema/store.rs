//! The folder `schema/`: reads and writes its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use codegen::schema::{Document, Errata, ErratumError, Facts};
use serde_json::{Map, Value};

use crate::workspace;

/// The folder that contains the revisions.
pub(super) struct Store {
    root: PathBuf,
}

impl Store {
    /// Opens the store in a folder.
    pub(super) fn at(root: PathBuf) -> Self {
        Self {
            root: root.canonicalize().unwrap_or(root),
        }
    }

    pub(super) fn schema_file(&self, revision: &str) -> PathBuf {
        self.root.join(revision).join("schema.json")
    }

    fn facts_file(&self, revision: &str) -> PathBuf {
        self.root.join(revision).join("facts.json")
    }

    fn errata_file(&self, revision: &str) -> PathBuf {
        self.root.join("errata").join(format!("{revision}.json"))
    }

    /// Returns `true` if the store has this revision.
    pub(super) fn has(&self, revision: &str) -> bool {
        check_name(revision).is_ok() && self.schema_file(revision).is_file()
    }

    /// Reads the stored schema of a revision. Its `file` is the name of the revision, which
    /// messages about differences show.
    pub(super) fn revision(&self, revision: &str) -> Result<Document> {
        if !self.has(revision) {
            bail!(
                "unknown revision `{revision}`; the revisions are {}",
                self.revisions()?.join(", ")
            );
        }
        let document = read(&self.schema_file(revision))?;
        Ok(Document {
            file: revision.to_owned(),
            ..document
        })
    }

    /// Reads the facts of a revision. Returns `None` if it has no file of facts.
    pub(super) fn facts(&self, revision: &str) -> Result<Option<Facts>> {
        let facts = optional(&self.facts_file(revision))?;
        Ok(facts
            .map(|(name, text)| Facts::parse(&name, &text))
            .transpose()?)
    }

    /// Reads the errata of a revision. Returns `None` if it has no errata file.
    pub(super) fn errata(&self, revision: &str) -> Result<Option<Errata>> {
        let errata = optional(&self.errata_file(revision))?;
        Ok(errata
            .map(|(name, text)| Errata::parse(&name, &text))
            .transpose()?)
    }

    /// Reads a revision by its name, or any other document by its path.
    pub(super) fn either(&self, name: &str, corrected: bool) -> Result<Document> {
        if !self.has(name) {
            if !Path::new(name).is_file() {
                let revisions = self.revisions()?.join(", ");
                bail!("`{name}` is neither a file nor a revision; the revisions are {revisions}");
            }
            return read(Path::new(name));
        }
        let mut document = self.revision(name)?;
        if let Some(facts) = self.facts(name)?.filter(|_| corrected) {
            facts.apply(&mut document)?;
        }
        if let Some(errata) = self.errata(name)?.filter(|_| corrected) {
            errata
                .apply(&mut document)
                .map_err(|faults| anyhow::anyhow!(lines(&faults)))?;
        }
        Ok(document)
    }

    /// Returns the names of all revisions, oldest first.
    pub(super) fn revisions(&self) -> Result<Vec<String>> {
        // Dates sort in their order, and `draft` follows them.
        let mut names = workspace::names(&self.root, None)?;
        names.retain(|name| self.has(name));
        Ok(names)
    }

    /// Stores a revision atomically: after a failure, the previous file is unchanged.
    pub(super) fn write(&self, revision: &str, text: &str) -> Result<PathBuf> {
        write_whole(self.schema_file(revision), text)
    }

    /// Stores the facts of a revision.
    pub(super) fn write_facts(&self, revision: &str, text: &str) -> Result<PathBuf> {
        write_whole(self.facts_file(revision), text)
    }

    /// Stores the errata of a revision.
    pub(super) fn write_errata(&self, revision: &str, text: &str) -> Result<PathBuf> {
        write_whole(self.errata_file(revision), text)
    }

    /// Changes the text of `README.md`, if it exists.
    pub(super) fn update_readme(&self, change: impl FnOnce(&str) -> Option<String>) -> Result<()> {
        let file = self.root.join("README.md");
        if let Some((_, text)) = optional(&file)?
            && let Some(text) = change(&text)
        {
            write_whole(file, &text)?;
        }
        Ok(())
    }

    fn hints_file(&self) -> PathBuf {
        self.root.join("hints.json")
    }

    /// Reads the hints. Without a file they are empty.
    pub(super) fn hints(&self) -> Result<HintsFile> {
        let Some((name, text)) = optional(&self.hints_file())? else {
            return Ok(HintsFile(Map::new()));
        };
        let hints = serde_json::from_str(&text);
        hints
            .map(HintsFile)
            .with_context(|| format!("{name} is not an object"))
    }

    /// Stores the hints.
    pub(super) fn write_hints(&self, hints: &HintsFile) -> Result<PathBuf> {
        let text = format!("{:#}\n", Value::Object(hints.0.clone()));
        write_whole(self.hints_file(), &text)
    }
}

/// The content of `hints.json`.
pub(super) struct HintsFile(Map<String, Value>);

impl HintsFile {
    /// Adds that a definition has a new name in a revision. Returns `false` if the hints say
    /// already what became of it.
    pub(super) fn add_renamed(&mut self, revision: &str, old: &str, new: &str) -> bool {
        let table = self.0.entry("renamed");
        let table = table.or_insert_with(|| Value::Object(Map::new()));
        let key = format!("{revision}/{old}");
        match table.as_object_mut() {
            Some(table) if !table.contains_key(&key) => {
                table.insert(key, new.into());
                true
            }
            _ => false,
        }
    }
}

/// Writes a file as a whole or, after a failure, not at all.
fn write_whole(file: PathBuf, text: &str) -> Result<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &file));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// Checks that a name can be used for a revision: it becomes a folder, a module and a feature.
fn check_name(revision: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let reserved = ["errata", "extensions", "proposals"].contains(&revision);
    if revision.is_empty() || revision.starts_with('-') || !revision.bytes().all(plain) || reserved
    {
        bail!("`{revision}` is not a valid name of a revision: expected letters, digits and `-`");
    }
    Ok(())
}

/// Parses a name for a revision.
pub(super) fn revision_name(text: &str) -> Result<String> {
    check_name(text)?;
    Ok(text.to_owned())
}

/// Reads a document.
pub(super) fn read(file: &Path) -> Result<Document> {
    let text = workspace::read(file)?;
    Ok(Document::parse(&file.display().to_string(), &text)?)
}

/// Reads a file if it exists. Returns its path, for errors, and its text.
fn optional(file: &Path) -> Result<Option<(String, String)>> {
    if !file.is_file() {
        return Ok(None);
    }
    Ok(Some((file.display().to_string(), workspace::read(file)?)))
}

/// Formats errors, one per line, each with its causes.
pub(super) fn lines(faults: &[ErratumError]) -> String {
    let mut lines = Vec::new();
    for fault in faults {
        let mut line = fault.to_string();
        let mut cause = std::error::Error::source(fault);
        while let Some(inner) = cause {
            line = format!("{line}: {inner}");
            cause = inner.source();
        }
        lines.push(line);
    }
    lines.join("\n")
}
