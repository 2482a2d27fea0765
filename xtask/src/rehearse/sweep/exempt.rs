//! Members that cannot change in some way without work by hand, with the reasons.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use codegen::model::field_ident;
use serde_json::{Map, Value};

use super::{Selection, Sweep};
use crate::handwritten::{HandWritten, has_word};
use crate::workspace;

/// The file with the members and reasons.
pub(in super::super) const FILE: &str = "xtask/sweep.json";

/// How many lines above and below an error may name the member that caused it.
const AROUND: usize = 8;

/// Reads the members that a sweep leaves out.
///
/// # Errors
///
/// Returns an error if the file does not have its form, or lists a member that the sweep would not
/// change.
pub(in super::super) fn listed(
    sweep: Sweep,
    definitions: &Map<String, Value>,
) -> Result<BTreeSet<String>> {
    let text = workspace::read(&workspace::root().join(FILE))?;
    let file: Value = serde_json::from_str(&text).with_context(|| FILE.to_owned())?;
    let places = places(sweep, definitions);
    let kind = sweep.name();
    let mut listed = BTreeSet::new();
    for entry in file[&kind].as_array().into_iter().flatten() {
        let has_reason = entry["reason"].is_string();
        ensure!(has_reason, "{FILE}: `{kind}` lacks a `reason`");
        for member in super::names(entry.get("members")) {
            let is_known = places.contains(&member);
            ensure!(is_known, "{FILE}: `{kind}` does not change `{member}`");
            listed.insert(member);
        }
    }
    Ok(listed)
}

/// Returns the members that one of the errors is about: those whose field a line around it names.
pub(in super::super) fn blamed(
    members: &BTreeSet<String>,
    errors: &[(String, usize)],
    sources: &HandWritten,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (file, line) in errors {
        // The line itself first, then its neighbours: the name may be in another line of a
        // statement.
        for around in 0..=AROUND {
            let lines = line.saturating_sub(around)..=line + around;
            let lines: Vec<&str> = lines.filter_map(|at| sources.line(file, at)).collect();
            let names = |member: &&String| {
                let field = field_ident(member_of(member));
                lines.iter().any(|line| has_word(line, &field))
            };
            let here: Vec<&String> = members.iter().filter(names).collect();
            if !here.is_empty() {
                found.extend(here.into_iter().cloned());
                break;
            }
        }
    }
    found
}

/// Returns all places that a sweep changes.
fn places(sweep: Sweep, definitions: &Map<String, Value>) -> BTreeSet<String> {
    let none = BTreeSet::new();
    let all = Selection {
        only: None,
        without: &none,
    };
    sweep
        .change(&mut definitions.clone(), &all)
        .into_iter()
        .collect()
}

/// Returns the last name of a place. A member may have dots in its name, but none after its slash.
fn member_of(place: &str) -> &str {
    place.rsplit(['/', '.']).next().unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use codegen::model::DRAFT;
    use codegen::schema::Document;

    #[test]
    fn listed_members_are_those_of_the_schemas() {
        let schemas = workspace::project().unwrap().schemas;
        // Of each definition, the newest one.
        let mut definitions = Map::new();
        for schema in schemas.iter().filter(|schema| schema.name != DRAFT) {
            let document = Document::parse(&schema.file, &schema.text).unwrap();
            definitions.extend(document.definitions);
        }
        for sweep in <Sweep as clap::ValueEnum>::value_variants() {
            let listed = listed(*sweep, &definitions);
            assert!(listed.is_ok(), "{sweep:?}: {:?}", listed.err());
        }
    }
}
