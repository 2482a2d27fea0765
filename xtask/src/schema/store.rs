//! The folder `schema/`: reads and writes its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use codegen::model::DRAFT;
use codegen::schema::{Document, Errata, ErratumError, Facts};
use serde_json::{Map, Value};

use super::hints_text;
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

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn schema_file(&self, revision: &str) -> PathBuf {
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
        let mut document = read(&self.schema_file(revision))?;
        revision.clone_into(&mut document.file);
        Ok(document)
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
        write_text(self.schema_file(revision), text)
    }

    /// Stores the facts of a revision.
    pub(super) fn write_facts(&self, revision: &str, text: &str) -> Result<PathBuf> {
        write_text(self.facts_file(revision), text)
    }

    /// Stores the errata of a revision.
    pub(super) fn write_errata(&self, revision: &str, text: &str) -> Result<PathBuf> {
        write_text(self.errata_file(revision), text)
    }

    /// Changes the text of `README.md`, if it exists.
    pub(super) fn update_readme(&self, change: impl FnOnce(&str) -> Option<String>) -> Result<()> {
        let file = self.root.join("README.md");
        if let Some((_, text)) = optional(&file)?
            && let Some(text) = change(&text)
        {
            write_text(file, &text)?;
        }
        Ok(())
    }

    fn hints_file(&self) -> PathBuf {
        self.root.join("hints.json")
    }

    /// Reads the hints. Without a file they are empty.
    pub(super) fn hints(&self) -> Result<HintsFile> {
        let (name, text) = optional(&self.hints_file())?.unwrap_or_default();
        let table: Map<String, Value> = if name.is_empty() {
            Map::new()
        } else {
            let object = codegen::schema::parse(&text);
            object.with_context(|| format!("{name} is not a valid object"))?
        };
        Ok(HintsFile { table, text })
    }

    /// Stores the hints.
    pub(super) fn write_hints(&self, hints: &HintsFile) -> Result<PathBuf> {
        write_text(self.hints_file(), &hints.text)
    }
}

/// The content of `hints.json`.
pub(super) struct HintsFile {
    table: Map<String, Value>,
    text: String,
}

impl HintsFile {
    /// Adds that a definition has a new name in a revision. Returns `false` if the hints say
    /// already what became of it.
    pub(super) fn add_renamed(&mut self, revision: &str, old: &str, new: &str) -> bool {
        let table = self.table.entry("renamed");
        let table = table.or_insert_with(|| Value::Object(Map::new()));
        let key = format!("{revision}/{old}");
        match table.as_object_mut() {
            Some(table) if !table.contains_key(&key) => {
                table.insert(key.clone(), new.into());
            }
            _ => return false,
        }
        let text = hints_text::with_entry(&self.text, "renamed", &key, new);
        self.text = text.unwrap_or_else(|| format!("{:#}\n", Value::Object(self.table.clone())));
        true
    }
}

fn write_text(file: PathBuf, text: &str) -> Result<PathBuf> {
    write_whole(&file, text.as_bytes())?;
    Ok(file)
}

/// Writes a file as a whole or, after a failure, not at all.
pub(super) fn write_whole(file: &Path, content: &[u8]) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&draft, content).and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.with_context(|| format!("cannot write {}", file.display()))
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

/// Parses a name for a revision: a date such as `2026-07-28`, or `draft`.
pub(super) fn revision_name(text: &str) -> Result<String> {
    if text != DRAFT && !is_date(text) {
        bail!("`{text}` is not a revision: expected a date such as `2026-07-28`, or `{DRAFT}`");
    }
    Ok(text.to_owned())
}

/// Returns `true` for a date of the calendar in the form `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let part = |from: usize, to: usize| -> Option<u32> {
        let digits = text.get(from..to)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| plain)
    };
    let separators = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day), true) =
        (part(0, 4), part(5, 7), part(8, 10), separators)
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => 0,
    };
    (1..=last).contains(&day)
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

#[cfg(test)]
mod tests {
    use super::revision_name;

    #[test]
    fn revision_is_a_date_of_the_calendar_or_the_draft() {
        for name in [
            "2026-07-28",
            "2028-02-29",
            "2000-02-29",
            "2026-12-31",
            "draft",
        ] {
            assert_eq!(revision_name(name).unwrap(), name);
        }
        for name in [
            "",
            "foo",
            "Draft",
            "2027-13-45",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-00-10",
            "2026-01-00",
            "2026-1-10",
            "2026-01-10 ",
            "2026/01/10",
            "+026-01-01",
            "2026-01-1\u{e9}",
            "20260-1-01",
        ] {
            let error = revision_name(name).unwrap_err().to_string();
            assert!(error.contains("expected a date"), "{error}");
        }
    }
}
