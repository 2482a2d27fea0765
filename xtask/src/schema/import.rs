//! Taking a published file into `schema/`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use codegen::schema::{Document, ErratumError, diff};
use serde_json::{Map, Value};

use super::NeededKeys;
use super::store::{Store, lines, read, text_of};

/// What an import did and what it leaves to do.
pub(super) struct Report {
    /// For people to read.
    pub(super) text: String,
    /// Whether every erratum fits or need only be dropped.
    pub(super) ready: bool,
}

/// Stores the structure of a published file as a revision. A file that is no schema changes
/// nothing; errata that do not fit are reported, and the structure is stored all the same.
pub(super) fn import(
    store: &Store,
    file: &str,
    revision: &str,
    needed: NeededKeys,
) -> Result<Report> {
    let published = read(Path::new(file))?;
    let bare = Document {
        file: revision.to_owned(),
        ..published.without_prose()
    };
    // Everything that can fail by bad input is read before anything is written.
    let errata = store.errata(revision)?;
    let docs = docs(store)?;
    let previous = store
        .revisions()?
        .into_iter()
        .rfind(|name| name.as_str() < revision);
    let previous = previous.map(|name| store.revision(&name)).transpose()?;

    let stored = store.write(revision, &bare.to_json())?;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "stored {}: {} definitions",
        stored.display(),
        bare.definitions.len()
    );

    let mut ready = true;
    let mut corrected = bare.clone();
    match errata.map(|errata| errata.apply(&mut corrected)) {
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

    let missing = missing_words(docs.as_ref(), revision, &needed(&corrected));
    match (docs, missing.as_slice()) {
        (None, _) => text.push_str("\nwords: there is no docs.json\n"),
        (Some(_), []) => text.push_str("\nwords: none are missing in docs.json\n"),
        (Some(_), keys) => {
            let _ = writeln!(text, "\nwords: {} are missing in docs.json", keys.len());
            for key in keys {
                let _ = writeln!(text, "  {key}");
            }
        }
    }
    Ok(Report { text, ready })
}

/// The keys of a document's definitions and of their members.
pub(super) fn plain_keys(document: &Document) -> Vec<String> {
    let mut keys = Vec::new();
    for (name, schema) in &document.definitions {
        keys.push(name.clone());
        let members = schema.get("properties").and_then(Value::as_object);
        for member in members.into_iter().flat_map(Map::keys) {
            keys.push(format!("{name}.{member}"));
        }
    }
    keys
}

/// The keys for which there are no words: neither under the key itself, nor under the key of this
/// revision, nor under the member's name for all types.
pub(super) fn missing_words(
    docs: Option<&Map<String, Value>>,
    revision: &str,
    needed: &[String],
) -> Vec<String> {
    let there = |key: &str| docs.is_some_and(|docs| docs.contains_key(key));
    let missing = |key: &&String| {
        let everywhere = key.split_once('.').map(|(_, member)| format!("*.{member}"));
        !there(key)
            && !there(&format!("{revision}/{key}"))
            && !everywhere.is_some_and(|key| there(&key))
    };
    needed.iter().filter(missing).cloned().collect()
}

fn docs(store: &Store) -> Result<Option<Map<String, Value>>> {
    let file = store.docs_file();
    if !file.is_file() {
        return Ok(None);
    }
    let docs = serde_json::from_str(&text_of(&file)?)
        .with_context(|| format!("{} is not an object of words", file.display()))?;
    Ok(Some(docs))
}

#[cfg(test)]
mod tests;
