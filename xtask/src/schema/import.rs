//! Imports a published file into `schema/`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use codegen::schema::{Document, ErratumError, diff};

use super::MissingDocs;
use super::store::{Store, lines, read};
use crate::workspace::display_path;

/// The outcome of an import.
pub(super) struct Report {
    /// The text to print: what was stored, and what is left to do.
    pub(super) text: String,
    /// `true` if every erratum applies or is no longer needed, and the generator has a type for
    /// everything.
    pub(super) ready: bool,
}

/// Stores the structure of a published file as a revision. If the file is not a valid schema,
/// nothing is written. Errata that do not apply are reported, and the structure is stored
/// nevertheless.
pub(super) fn import(
    store: &Store,
    file: &str,
    revision: &str,
    missing_docs: MissingDocs,
) -> Result<Report> {
    let published = read(Path::new(file))?;
    let bare = Document {
        file: revision.to_owned(),
        ..published.without_prose()
    };
    // Reads and checks all input before anything is written.
    let errata = store.errata(revision)?;
    let previous = store
        .revisions()?
        .into_iter()
        .rfind(|name| name.as_str() < revision);
    let previous = previous.map(|name| store.revision(&name)).transpose()?;

    let mut corrected = bare.clone();
    let applied = errata.map(|errata| errata.apply(&mut corrected));
    let missing = missing_docs(revision, &corrected);

    let stored = store.write(revision, &bare.to_json())?;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "stored {}: {} definitions",
        display_path(&stored),
        bare.definitions.len()
    );

    let mut ready = true;
    match applied {
        None => {
            let _ = writeln!(text, "errata: no file for {revision}");
        }
        Some(Ok(())) => text.push_str("errata: all apply\n"),
        Some(Err(faults)) => {
            ready = faults
                .iter()
                .all(|it| matches!(it, ErratumError::NoLongerApplies { .. }));
            let _ = writeln!(text, "errata: some have to be changed\n{}", lines(&faults));
        }
    }

    match previous {
        None => text.push_str("\nno previous revision\n"),
        Some(previous) => {
            let _ = write!(text, "\n{}", diff(&previous, &bare).to_text());
        }
    }

    match missing.as_deref() {
        Ok([]) => text.push_str("\ndocs.json: no texts are missing\n"),
        Ok(keys) => {
            let _ = writeln!(text, "\ndocs.json: {} texts are missing", keys.len());
            for key in keys {
                let _ = writeln!(text, "  {key}");
            }
        }
        Err(error) => {
            ready = false;
            let _ = writeln!(
                text,
                "\ndocs.json: cannot determine the missing texts\n{error:#}"
            );
        }
    }
    Ok(Report { text, ready })
}

#[cfg(test)]
mod tests;
