//! Imports the real revisions one after the other, and compares the results with what is checked
//! in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::stage::{Next, Stage};
use super::workspace_copy::WorkspaceCopy;
use crate::workspace;

/// Repeats the history of the specification.
///
/// # Errors
///
/// Returns an error if the folder lacks a published file, or if files cannot be read or written.
pub(super) fn run(published: &Path) -> Result<bool> {
    let published = published
        .canonicalize()
        .with_context(|| published.display().to_string())?;
    let revisions = workspace::revisions(&workspace::root().join("schema"))?;
    let mut faults = 0;
    for revision in revisions.iter().skip(1) {
        println!("\n== {revision}");
        let copy = WorkspaceCopy::create()?;
        // Everything that a person wrote for this revision and later ones, apart from words.
        for later in revisions.iter().filter(|other| *other >= revision) {
            forget(&copy, later)?;
        }
        let next = Next {
            names: vec![revision.clone()],
            schema: published.join(revision).join("schema.json"),
            typescript: Some(published.join(revision).join("schema.ts")),
        };
        // The crates refer by name to parts of revisions that this copy lacks, so nothing more than
        // generation can succeed.
        let timed = Stage::Generate.run(&copy, &next)?;
        println!("generated in {:.1} s", timed.time.as_secs_f64());
        for difference in differences(&copy, revision)? {
            println!("{difference}");
            faults += 1;
        }
    }
    ensure!(faults == 0, "{faults} differences");
    println!("\nevery import equals what is checked in, except for words and decisions");
    Ok(true)
}

/// Removes the files of a revision from the copy.
fn forget(copy: &WorkspaceCopy, revision: &str) -> Result<()> {
    fs::remove_dir_all(copy.path(&format!("schema/{revision}")))?;
    let errata = copy.path(&format!("schema/errata/{revision}.json"));
    if errata.is_file() {
        fs::remove_file(errata)?;
    }
    Ok(())
}

/// Compares what was imported with what is checked in.
fn differences(copy: &WorkspaceCopy, revision: &str) -> Result<Vec<String>> {
    let mut differences = Vec::new();
    for name in ["schema.json", "facts.json"] {
        let file = format!("schema/{revision}/{name}");
        if read(&workspace::root().join(&file))? != read(&copy.path(&file))? {
            differences.push(format!("{file} differs"));
        }
    }
    let file = format!("schema/errata/{revision}.json");
    let ours = changes(&read(&workspace::root().join(&file))?);
    let carried = changes(&read(&copy.path(&file))?);
    for (place, change) in &carried {
        let place_of = format!("{file}: `{}` at `{}`", place.0, place.1);
        match ours.get(place) {
            Some(own) if own == change => {}
            Some(_) => differences.push(format!("{place_of} differs")),
            None => differences.push(format!("{place_of} is not checked in")),
        }
    }
    for place in ours.keys().filter(|place| !carried.contains_key(*place)) {
        println!("decided by a person: `{}` at `{}`", place.0, place.1);
    }
    Ok(differences)
}

/// Reads a file in JSON. A file that does not exist is `null`.
fn read(path: &Path) -> Result<Value> {
    if !path.is_file() {
        return Ok(Value::Null);
    }
    let text = workspace::read(path)?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// Returns the changes of a file of errata, by the name of the erratum and the place.
fn changes(errata: &Value) -> BTreeMap<(String, String), Value> {
    let mut all = BTreeMap::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for erratum in errata["errata"].as_array().into_iter().flatten() {
        for change in erratum["changes"].as_array().into_iter().flatten() {
            let place = (text(&erratum["name"]), text(&change["at"]));
            all.insert(place, change.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errata(now: &str) -> Value {
        json!({"errata": [
            {"name": "type", "changes": [{"at": "/A/type", "was": "string", "now": now}]},
        ]})
    }

    #[test]
    fn errata_are_compared_by_name_and_place() {
        let ours = changes(&errata("object"));
        let place = ("type".to_owned(), "/A/type".to_owned());
        assert!(ours.keys().eq([&place]));
        assert_ne!(ours, changes(&errata("array")));
        assert!(changes(&Value::Null).is_empty());
    }
}
