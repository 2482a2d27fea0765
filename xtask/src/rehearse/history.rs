//! Imports the real revisions one after the other, and compares the results with what is checked
//! in.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

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
pub(super) fn run(published: &Path, until: Stage) -> Result<ExitCode> {
    let published = published
        .canonicalize()
        .with_context(|| published.display().to_string())?;
    let mut revisions = workspace::names(&workspace::root().join("schema"), None)?;
    revisions.retain(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    let mut faults = 0;
    for revision in revisions.iter().skip(1) {
        println!("\n== {revision}");
        let copy = WorkspaceCopy::create()?;
        // Everything that a person wrote for this revision and later ones, apart from words.
        for later in revisions.iter().filter(|other| *other >= revision) {
            forget(&copy, later)?;
        }
        let next = Next {
            revision: revision.clone(),
            schema: published.join(revision).join("schema.json"),
            typescript: Some(published.join(revision).join("schema.ts")),
        };
        for stage in Stage::up_to(until.min(Stage::Types)) {
            let timed = stage.run(&copy, &next)?;
            println!("{:<9} {:>6.1} s", stage.name(), timed.time.as_secs_f64());
        }
        for difference in differences(&copy, revision)? {
            println!("{difference}");
            faults += 1;
        }
    }
    ensure!(faults == 0, "{faults} differences");
    println!("\nevery import equals what is checked in");
    Ok(ExitCode::SUCCESS)
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
    for file in [
        format!("schema/{revision}/schema.json"),
        format!("schema/{revision}/facts.json"),
        format!("schema/errata/{revision}.json"),
    ] {
        let read = |path: &Path| -> Result<Option<Value>> {
            if !path.is_file() {
                return Ok(None);
            }
            Ok(Some(serde_json::from_str(&workspace::read(path)?)?))
        };
        let ours = read(&workspace::root().join(&file))?;
        let imported = read(&copy.path(&file))?;
        if ours != imported {
            differences.push(format!("{file} differs"));
        }
    }
    Ok(differences)
}
