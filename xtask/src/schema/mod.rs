//! `cargo xtask schema`: compares, imports and verifies schema documents.

mod checklist;
mod hints_text;
mod import;
pub(crate) mod source;
mod staged;
mod store;
#[cfg(feature = "typescript")]
mod typescript;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use codegen::project::Report;
use codegen::schema::{diff, verify};

use self::store::Store;
use crate::workspace;

/// Compares, imports and verifies schema documents
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Prints what changed from one revision or file to another
    ///
    /// Two revisions are compared with their errata applied, a file and anything else without.
    Diff {
        old: String,
        new: String,
        /// The form of the changes
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Stores the structure of a published file
    ///
    /// Stores it with the errata of the revision before that still hold, and writes a checklist of
    /// what a person has to look at. Stores nothing if the sources cannot be generated from it.
    Import {
        #[command(flatten)]
        published: Published,
        /// Replaces the revision if it is stored already
        #[arg(long)]
        replace: bool,
        /// The file for the checklist, by default schema/REVISION-checklist.md in the target folder
        #[arg(long, value_name = "FILE")]
        checklist: Option<PathBuf>,
    },
    /// Checks that a published file has the structure and the facts of our revision
    Verify(Published),
}

/// The format of differences.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    Text,
    Markdown,
    Json,
}

/// A published revision.
#[derive(Args)]
pub(crate) struct Published {
    /// The published schema
    json: String,
    /// The name of the revision: its date, or `draft`
    #[arg(long, value_parser = store::revision_name)]
    revision: String,
    /// The source of the published schema, for the facts that it loses
    ///
    /// The command compiles itself once more with the feature `typescript`. Without this option, the
    /// facts of the revision before are carried over.
    #[arg(long = "ts", value_name = "SCHEMA.TS")]
    typescript: Option<String>,
}

/// Generates the sources from a folder with the files of `schema/`, and returns what people have to
/// look at.
pub(crate) type Review = fn(&Path) -> Result<Report>;

/// Runs a subcommand.
///
/// # Errors
///
/// Files that cannot be read or written, and documents that are no schema.
pub(crate) fn run(command: &Command, review: Review) -> Result<bool> {
    let store = Store::at(workspace::root().join("schema"));
    if let Command::Import { published, .. } | Command::Verify(published) = command
        && published.typescript.is_some()
        && !source::SUPPORTED
    {
        return source::run_with_support();
    }
    match command {
        Command::Diff { old, new, format } => {
            print!("{}", differences(old, new, *format)?);
            Ok(true)
        }
        Command::Import {
            published,
            replace,
            checklist,
        } => {
            let report = import::import(&store, published, *replace, review)?;
            let checklist = match checklist {
                Some(file) => file.clone(),
                None => {
                    workspace::target()?.join(format!("schema/{}-checklist.md", published.revision))
                }
            };
            workspace::write(&checklist, report.checklist.as_bytes())?;
            println!("{}\n{}", report.text, report.checklist);
            println!("The list is in {}.", checklist.display());
            Ok(report.ready)
        }
        Command::Verify(published) => verify_file(&store, published),
    }
}

fn verify_file(store: &Store, of: &Published) -> Result<bool> {
    let (file, revision) = (&of.json, &of.revision);
    let ours = store.revision(revision)?;
    let published = store::read(Path::new(file))?;
    let differences = verify(&published, &ours);
    for difference in &differences {
        println!("{file}: {difference}");
    }
    if !differences.is_empty() {
        let count = differences.len();
        println!("{file} differs from {revision} in {count} places");
        return Ok(false);
    }
    let count = ours.definitions.len();
    println!("{file} has the structure of {revision}: {count} definitions");
    let Some(source) = &of.typescript else {
        return Ok(true);
    };
    let (facts, warnings) = source::facts(source, &published, revision)?;
    for warning in &warnings {
        println!("warning: {warning}");
    }
    let stored = store.facts(revision)?.unwrap_or_default();
    let (theirs, ours) = (facts.to_json(), stored.to_json());
    if theirs == ours {
        println!("{source} has the facts of {revision}: {}", facts.len());
        return Ok(true);
    }
    for (mark, lines, others) in [('+', &theirs, &ours), ('-', &ours, &theirs)] {
        let line = |line: &str| line.trim_end_matches(',').to_owned();
        let others: Vec<String> = others.lines().map(line).collect();
        for line in lines.lines().map(line) {
            if !others.contains(&line) {
                println!("{mark} {}", line.trim());
            }
        }
    }
    println!("{source} has other facts than {revision}");
    Ok(false)
}

/// Returns the changes between two revisions or files.
fn differences(old: &str, new: &str, format: Format) -> Result<String> {
    let store = Store::at(workspace::root().join("schema"));
    let corrected = store.has(old) && store.has(new);
    let old = store.either(old, corrected)?;
    let new = store.either(new, corrected)?;
    let difference = diff(&old, &new);
    Ok(match format {
        Format::Text => difference.to_text(),
        Format::Markdown => difference.to_markdown(),
        Format::Json => difference.to_json()?,
    })
}
