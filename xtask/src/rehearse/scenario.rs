//! What is rehearsed: kept changes, those of a file, or random ones.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use codegen::model::DRAFT;
use serde_json::{Map, Value};

use super::change::Change;
use super::random;
use super::stage::Next;
use super::sweep::{Selection, Sweep, exempt};
use super::workspace_copy::WorkspaceCopy;
use crate::workspace;

/// The folder of the kept changes.
const FOLDER: &str = "xtask/rehearsals";

/// A rehearsal.
pub(super) enum Scenario {
    /// Changes from a file. Its member `revision` is the name under which the result is imported;
    /// by default it is imported as the next revision and as the draft. A file of the same name
    /// that ends with `.diff` has the edits that a person has to make after the sources were
    /// generated.
    Kept { name: String, file: PathBuf },
    /// Random changes, made from a seed.
    Random(u64),
    /// All changes of some kinds, or one of them, except for those that the file lists.
    Sweep {
        kinds: Vec<Sweep>,
        only: Option<String>,
        /// Listed members that are changed nevertheless.
        listed: BTreeSet<String>,
    },
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept { name, .. } => f.write_str(name),
            Self::Random(seed) => write!(f, "seed {seed}"),
            Self::Sweep { kinds, only, .. } => {
                let kinds: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
                write!(f, "sweep {}", kinds.join(", "))?;
                only.iter().try_for_each(|only| write!(f, " {only}"))
            }
        }
    }
}

/// Returns the names of the kept changes.
pub(crate) fn kept_names() -> Result<Vec<String>> {
    workspace::names(&workspace::root().join(FOLDER), Some(".json"))
}

impl Scenario {
    /// Returns the kept changes, sorted by name.
    pub(super) fn kept() -> Result<Vec<Self>> {
        kept_names()?.iter().map(|name| Self::named(name)).collect()
    }

    /// Finds a kept file by its name, or another file.
    pub(super) fn named(name: &str) -> Result<Self> {
        let folder = workspace::root().join(FOLDER);
        let kept = folder.join(format!("{name}.json"));
        let file = if kept.is_file() {
            kept
        } else {
            PathBuf::from(name)
        };
        if !file.is_file() {
            let names = kept_names()?.join(", ");
            bail!("`{name}` is neither a file nor one of {names}");
        }
        let name = name.to_owned();
        Ok(Self::Kept { name, file })
    }

    /// Changes the newest schema of the copy, and stores the result as a published file beside it.
    ///
    /// # Errors
    ///
    /// Returns an error if a change does not fit the schema.
    pub(super) fn apply(&self, copy: &WorkspaceCopy) -> Result<Next> {
        let newest = newest_revision(&copy.path("schema"))?;
        let file = copy.path(&format!("schema/{newest}/schema.json"));
        let mut document: Value = serde_json::from_str(&workspace::read(&file)?)?;
        let definitions = document
            .get_mut("$defs")
            .with_context(|| format!("{} has no `$defs`", file.display()))?;
        let mut names = vec![following(&newest)?, DRAFT.to_owned()];
        match self {
            Self::Kept { file, .. } => {
                let kept = read(file)?;
                if let Some(revision) = kept.revision {
                    names = vec![revision];
                }
                for (at, change) in kept.changes.iter().enumerate() {
                    let applied = change.apply(definitions);
                    applied.with_context(|| format!("{}: change {at}", file.display()))?;
                }
            }
            Self::Random(seed) => {
                for line in random::change(definitions, *seed)? {
                    println!("  {line}");
                }
            }
            Self::Sweep {
                kinds,
                only,
                listed,
            } => {
                // The draft stays as it is, so that there are conversions to the form before, too.
                names.truncate(1);
                let definitions = definitions.as_object_mut().context("no definitions")?;
                let mut count = 0;
                for kind in kinds {
                    let without = exempt::listed(*kind, definitions)?;
                    let without = without.difference(listed).cloned().collect();
                    let only = only.as_deref();
                    let select = Selection {
                        only,
                        without: &without,
                    };
                    let done = kind.change(definitions, &select);
                    println!("  {}: {} changes", kind.name(), done.len());
                    count += done.len();
                }
                ensure!(count > 0, "there is nothing to change");
            }
        }
        let schema = copy.path_beside("schema.json");
        fs::write(&schema, serde_json::to_string_pretty(&document)?)?;
        Ok(Next {
            names,
            schema,
            typescript: None,
        })
    }

    /// Applies the edits that a person has to make, and returns the number of lines that they add.
    ///
    /// # Errors
    ///
    /// Returns an error if the edits do not apply.
    pub(super) fn apply_edits(&self, copy: &WorkspaceCopy) -> Result<usize> {
        let Self::Kept { file, .. } = self else {
            return Ok(0);
        };
        let diff = file.with_extension("diff");
        if !diff.is_file() {
            return Ok(0);
        }
        copy.apply_diff(&diff)?;
        let text = workspace::read(&diff)?;
        let added = |line: &&str| line.starts_with('+') && !line.starts_with("+++");
        Ok(text.lines().filter(added).count())
    }
}

/// The content of a file.
struct Kept {
    changes: Vec<Change>,
    revision: Option<String>,
}

fn read(file: &Path) -> Result<Kept> {
    let text: Value = serde_json::from_str(&workspace::read(file)?)
        .with_context(|| format!("{} is not JSON", file.display()))?;
    ensure!(
        text.get("about").is_some_and(Value::is_string),
        "{} does not say in `about` what it changes",
        file.display()
    );
    let changes = text.get("changes").and_then(Value::as_array);
    let changes = changes.with_context(|| format!("{} has no `changes`", file.display()))?;
    let changes: Result<_> = changes.iter().map(Change::parse).collect();
    let revision = text.get("revision").and_then(Value::as_str);
    Ok(Kept {
        changes: changes?,
        revision: revision.map(str::to_owned),
    })
}

/// Returns the definitions of the newest schema of the copy.
///
/// # Errors
///
/// Returns an error if there is no such schema.
pub(super) fn newest_definitions(copy: &WorkspaceCopy) -> Result<Map<String, Value>> {
    let newest = newest_revision(&copy.path("schema"))?;
    let file = copy.path(&format!("schema/{newest}/schema.json"));
    let mut document: Value = serde_json::from_str(&workspace::read(&file)?)?;
    match document.get_mut("$defs").map(Value::take) {
        Some(Value::Object(definitions)) => Ok(definitions),
        _ => bail!("{} has no `$defs`", file.display()),
    }
}

/// Returns the newest revision of a folder of schemas.
pub(super) fn newest_revision(folder: &Path) -> Result<String> {
    workspace::revisions(folder)?
        .pop()
        .context("there is no revision")
}

/// Returns the first day of the year after a revision.
fn following(revision: &str) -> Result<String> {
    let year = revision.split('-').next().unwrap_or_default();
    let year: u32 = year
        .parse()
        .with_context(|| format!("`{revision}` is not a date"))?;
    Ok(format!("{}-01-01", year + 1))
}
