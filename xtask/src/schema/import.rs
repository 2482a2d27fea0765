//! Imports a published file into `schema/`.

mod published_files;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use codegen::schema::{Document, Errata, ErratumError, Facts, diff, rebase, renamed};

use super::checklist::{Checklist, new_numbers, newly_deprecated};
use super::staged::Staged;
use super::store::{Store, lines, read};
use super::{Published, Review, source};
use crate::handwritten::HandWritten;
use crate::workspace;

/// The outcome of an import.
pub(super) struct Report {
    /// What was stored, or that nothing was, for people to read.
    pub(super) text: String,
    /// What people have to look at, as Markdown.
    pub(super) checklist: String,
    /// `true` if the sources can be generated. Otherwise nothing was stored.
    pub(super) ready: bool,
}

/// Stores the structure of a published file as a revision, and the facts that it loses.
///
/// Without a source in TypeScript, a revision without facts gets those of the revision before, as
/// far as they hold; likewise, a revision without errata. If the revision is stored with another
/// structure, as happens with a draft, its own facts and errata are carried over in the same way.
/// Definitions with a new name are added to the hints. What needs a person is in the checklist.
///
/// Everything is written to a copy of the store first, which replaces the store when the sources
/// have been generated from it. If they cannot be generated, nothing is stored, and the checklist
/// has the reason.
///
/// # Errors
///
/// Returns an error if files cannot be read or written, if the published file is not a schema, or
/// if the revision is stored already and `replace` is `false`. Then nothing is changed.
pub(super) fn import(
    store: &Store,
    published: &Published,
    replace: bool,
    review: Review,
) -> Result<Report> {
    let revision = published.revision.as_str();
    ensure!(
        replace || !store.has(revision),
        "revision {revision} is stored already: `--replace` replaces it"
    );
    let staged = Staged::of(store)?;
    let report = write(&staged.store, published, review)?;
    if report.ready {
        staged.commit(store)?;
        return Ok(report);
    }
    Ok(Report {
        text: format!("nothing is stored: the sources cannot be generated from {revision}\n"),
        ..report
    })
}

/// Writes a published file and what belongs to it to a store.
fn write(store: &Store, published: &Published, review: Review) -> Result<Report> {
    let revision = published.revision.as_str();
    let document = read(Path::new(&published.json))?;
    ensure!(
        lists_definitions(&published.json)?,
        "{}: expected the definitions of a revision: it has no `definitions` and no `$defs`",
        published.json
    );
    let mut bare = document.without_prose();
    revision.clone_into(&mut bare.file);
    if let Some(file) = &published.typescript {
        source::check(file, &bare)?;
    }
    let own_facts = store.facts(revision)?;
    let own_errata = store.errata(revision)?;
    let previous = Stored::before(store, revision)?;
    let replaced = if store.has(revision) {
        Some(Stored::of(store, revision)?)
    } else {
        None
    };
    let replaced = replaced.filter(|stored| stored.document.definitions != bare.definitions);
    let carried = replaced.as_ref().or(previous.as_ref());
    let own_facts = own_facts.filter(|_| replaced.is_none());
    let own_errata = own_errata.filter(|_| replaced.is_none());
    let mut hints = store.hints()?;

    let mut text = String::new();
    let mut checklist = Checklist::new(revision);
    let facts = match (&published.typescript, own_facts, carried) {
        (Some(file), _, _) => {
            let (facts, warnings) = source::facts(file, &bare, revision)?;
            checklist.section(
                "Parts of the TypeScript source that were left out",
                &warnings,
            );
            Some(facts)
        }
        (None, Some(facts), _) => Some(facts),
        (None, None, Some(carried)) => carried.facts.as_ref().map(|facts| {
            let (facts, changes) = facts.rebased(&carried.document, &bare, revision);
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            checklist.section("Facts carried over", &changes);
            facts
        }),
        (None, None, None) => None,
    };

    let stored = store.write(revision, &bare.to_json())?;
    stored_line(
        &mut text,
        store,
        &stored,
        bare.definitions.len(),
        "definitions",
    );
    let mut ready = true;
    for file in [Some(&published.json), published.typescript.as_ref()]
        .into_iter()
        .flatten()
    {
        let content = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
        let ending = Path::new(file).extension().unwrap_or_default();
        let path = format!("schema/{revision}/schema.{}", ending.display());
        store.update_readme(|text| published_files::with_checksum(text, &path, &content))?;
    }
    let mut complete = bare.clone();
    if let Some(facts) = &facts {
        let json = facts.to_json();
        let stored = store.write_facts(revision, &json)?;
        stored_line(&mut text, store, &stored, facts.len(), "facts");
        if let Err(error) = facts.apply(&mut complete) {
            checklist.section("Facts that do not hold", &[error.to_string()]);
            ready = false;
        }
    }

    if let Some(errata) = own_errata {
        if let Err(faults) = errata.apply(&mut complete) {
            checklist.section("Errata that do not hold", &faulty(&faults));
            ready = false;
        }
    } else if let Some(carried) = carried
        && let Some(errata) = &carried.errata
    {
        let rebased = rebase(errata, &carried.complete()?, &complete, revision);
        let changes = rebased.errata.errata.iter().map(|it| it.changes.len());
        let count = changes.sum();
        let stored = store.write_errata(revision, &rebased.errata.to_json())?;
        stored_line(&mut text, store, &stored, count, "corrections carried over");
        checklist.errata(&rebased.changes);
    }

    if let Some(stored) = &previous {
        let document = &stored.document;
        let mut lines = Vec::new();
        let names = renamed(document, &bare);
        for (old, new) in &names {
            if hints.add_renamed(revision, old, new) {
                lines.push(format!(
                    "`{old}` became `{new}`: `renamed` in `schema/hints.json`"
                ));
            }
        }
        if !lines.is_empty() {
            store.write_hints(&hints)?;
        }
        checklist.section("Renamed definitions", &lines);
        let difference = diff(document, &bare);
        checklist.difference(&difference);
        checklist.uses(&difference, &HandWritten::read(&workspace::root())?);
        let before = stored.complete()?;
        let old = (&before, stored.facts.as_ref());
        let numbers = new_numbers(old, (&complete, facts.as_ref()));
        checklist.section("New error codes", &numbers);
        let deprecated = newly_deprecated(&before, &complete, &names);
        checklist.section("Newly deprecated", &deprecated);
    }

    match review(store.root()) {
        Ok(report) => {
            ready &= report.failure.is_none();
            checklist.report(&report);
        }
        Err(error) => {
            checklist.failure(&format!("{error:#}"));
            ready = false;
        }
    }
    Ok(Report {
        text,
        checklist: checklist.to_markdown(),
        ready,
    })
}

/// A stored revision.
struct Stored {
    document: Document,
    facts: Option<Facts>,
    errata: Option<Errata>,
}

impl Stored {
    fn of(store: &Store, revision: &str) -> Result<Self> {
        Ok(Self {
            document: store.revision(revision)?,
            facts: store.facts(revision)?,
            errata: store.errata(revision)?,
        })
    }

    /// Returns the revision before another one.
    fn before(store: &Store, revision: &str) -> Result<Option<Self>> {
        let mut revisions = store.revisions()?.into_iter();
        let name = revisions.rfind(|name| name.as_str() < revision);
        name.map(|name| Self::of(store, &name)).transpose()
    }

    /// Returns the structure with its facts.
    fn complete(&self) -> Result<Document> {
        let mut document = self.document.clone();
        if let Some(facts) = &self.facts {
            facts.apply(&mut document)?;
        }
        Ok(document)
    }
}

/// Returns `true` if a schema lists definitions, and does not only describe a value.
fn lists_definitions(file: &str) -> Result<bool> {
    let root: serde_json::Value = serde_json::from_str(&workspace::read(Path::new(file))?)?;
    let lists = ["definitions", "$defs"];
    Ok(lists.iter().any(|keyword| root.get(*keyword).is_some()))
}

fn stored_line(text: &mut String, store: &Store, file: &Path, count: usize, what: &str) {
    let file = Path::new("schema").join(file.strip_prefix(store.root()).unwrap_or(file));
    let _ = writeln!(text, "stored {}: {count} {what}", file.display());
}

fn faulty(faults: &[ErratumError]) -> Vec<String> {
    let text = lines(faults);
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
