//! Taking a published file into `schema/`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use codegen::schema::{Document, ErratumError, diff};

use super::MissingWords;
use super::store::{Store, lines, read};
use crate::workspace::shown;

/// What an import did and what it leaves to do.
pub(super) struct Report {
    /// For people to read.
    pub(super) text: String,
    /// Whether every erratum fits or need only be dropped, and there is a type for everything.
    pub(super) ready: bool,
}

/// Stores the structure of a published file as a revision. A file that is no schema changes
/// nothing; errata that do not fit are reported, and the structure is stored all the same.
pub(super) fn import(
    store: &Store,
    file: &str,
    revision: &str,
    missing_words: MissingWords,
) -> Result<Report> {
    let published = read(Path::new(file))?;
    let bare = Document {
        file: revision.to_owned(),
        ..published.without_prose()
    };
    // Everything that can fail by bad input is read before anything is written.
    let errata = store.errata(revision)?;
    let previous = store
        .revisions()?
        .into_iter()
        .rfind(|name| name.as_str() < revision);
    let previous = previous.map(|name| store.revision(&name)).transpose()?;

    let mut corrected = bare.clone();
    let applied = errata.map(|errata| errata.apply(&mut corrected));
    let missing = missing_words(revision, &corrected);

    let stored = store.write(revision, &bare.to_json())?;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "stored {}: {} definitions",
        shown(&stored),
        bare.definitions.len()
    );

    let mut ready = true;
    match applied {
        None => {
            let _ = writeln!(text, "errata: there are none for {revision}");
        }
        Some(Ok(())) => text.push_str("errata: all apply\n"),
        Some(Err(faults)) => {
            ready = faults
                .iter()
                .all(|it| matches!(it, ErratumError::NoLongerApplies { .. }));
            let _ = writeln!(text, "errata: to be mended\n{}", lines(&faults));
        }
    }

    match previous {
        None => text.push_str("\nno revision before this one\n"),
        Some(previous) => {
            let _ = write!(text, "\n{}", diff(&previous, &bare).to_text());
        }
    }

    match missing.as_deref() {
        Ok([]) => text.push_str("\nwords: none are missing in docs.json\n"),
        Ok(keys) => {
            let _ = writeln!(text, "\nwords: {} are missing in docs.json", keys.len());
            for key in keys {
                let _ = writeln!(text, "  {key}");
            }
        }
        Err(error) => {
            ready = false;
            let _ = writeln!(text, "\nwords: what is missing cannot be told\n{error:#}");
        }
    }
    Ok(Report { text, ready })
}

#[cfg(test)]
mod tests;
