//! `cargo xtask schema`: compares, imports and verifies schema documents.

mod arguments;
mod checklist;
mod import;
mod page;
pub(crate) mod source;
mod store;
#[cfg(feature = "typescript")]
mod typescript;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use codegen::project::Report;
use codegen::schema::{diff, verify};

use self::arguments::Arguments;
use self::store::Store;
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask schema <command>

  diff A B [--format text|markdown|json|html]
        what changed from A to B, each a revision or a file; two revisions are compared with
        their errata applied, a file and anything else without; `html` is a page that shows both
        side by side
  import FILE --revision R [--ts SCHEMA.TS] [--checklist FILE]
        stores the structure of a published file as revision R, with the errata of the revision
        before that still hold, and writes a checklist of what a person has to look at, by
        default to schema/R-checklist.md in the target folder; SCHEMA.TS is the source of the
        published file, for the facts that it loses; without it, the facts of the revision before
        are carried over
  verify FILE --revision R [--ts SCHEMA.TS]
        checks that a published file has the structure of our revision R, and that our facts are
        those of its source

With --ts, the command compiles itself once more with the feature `typescript`.";

/// Generates the sources from the stored files, and returns what people have to look at.
pub(crate) type Review = fn() -> Result<Report>;

/// Runs a subcommand.
///
/// # Errors
///
/// Wrong arguments, files that cannot be read or written, and documents that are no schema.
pub(crate) fn run(args: &[String], review: Review) -> Result<ExitCode> {
    let store = Store::at(workspace::root().join("schema"));
    match args.split_first() {
        Some((command, rest)) if command == "diff" => {
            let arguments = Arguments::parse(rest, 2, &["--format"])?;
            let [old, new] = arguments.words.as_slice() else {
                bail!("{USAGE}");
            };
            let format = arguments.option("--format").unwrap_or("text");
            print!("{}", comparison(old, new, format)?);
            Ok(ExitCode::SUCCESS)
        }
        Some((command, rest)) if command == "import" => {
            let known = ["--revision", "--ts", "--checklist"];
            let arguments = Arguments::parse(rest, 1, &known)?;
            let (json, revision) = arguments.file_and_revision()?;
            let typescript = arguments.option("--ts");
            if typescript.is_some() && !source::SUPPORTED {
                return source::run_with_support("schema", args);
            }
            let published = import::Published { json, typescript };
            let report = import::import(&store, &published, revision, review)?;
            let checklist = match arguments.option("--checklist") {
                Some(file) => PathBuf::from(file),
                None => workspace::target()?.join(format!("schema/{revision}-checklist.md")),
            };
            if let Some(folder) = checklist.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&checklist, &report.checklist)
                .with_context(|| format!("cannot write {}", checklist.display()))?;
            println!("{}\n{}", report.text, report.checklist);
            println!("The list is in {}.", checklist.display());
            Ok(if report.ready {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
        Some((command, rest)) if command == "verify" => {
            let arguments = Arguments::parse(rest, 1, &["--revision", "--ts"])?;
            let (file, revision) = arguments.file_and_revision()?;
            let typescript = arguments.option("--ts");
            if typescript.is_some() && !source::SUPPORTED {
                return source::run_with_support("schema", args);
            }
            verify_file(&store, file, typescript, revision)
        }
        Some((command, _)) => bail!("unknown command `{command}`\n\n{USAGE}"),
        None => bail!("a command is missing\n\n{USAGE}"),
    }
}

fn verify_file(
    store: &Store,
    file: &str,
    typescript: Option<&str>,
    revision: &str,
) -> Result<ExitCode> {
    let ours = store.revision(revision)?;
    let published = store::read(Path::new(file))?;
    let differences = verify(&published, &ours);
    for difference in &differences {
        println!("{file}: {difference}");
    }
    if !differences.is_empty() {
        let count = differences.len();
        println!("{file} differs from {revision} in {count} places");
        return Ok(ExitCode::FAILURE);
    }
    let count = ours.definitions.len();
    println!("{file} has the structure of {revision}: {count} definitions");
    let Some(source) = typescript else {
        return Ok(ExitCode::SUCCESS);
    };
    let (facts, warnings) = source::facts(source, &published, revision)?;
    for warning in &warnings {
        println!("warning: {warning}");
    }
    let stored = store.facts(revision)?.unwrap_or_default();
    let (theirs, ours) = (facts.to_json(), stored.to_json());
    if theirs == ours {
        println!("{source} has the facts of {revision}: {}", facts.len());
        return Ok(ExitCode::SUCCESS);
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
    Ok(ExitCode::FAILURE)
}

/// Returns the changes between two revisions or files.
///
/// # Errors
///
/// Files that cannot be read, documents that are no schema, and formats that do not exist.
pub(crate) fn comparison(old: &str, new: &str, format: &str) -> Result<String> {
    let store = Store::at(workspace::root().join("schema"));
    let corrected = store.has(old) && store.has(new);
    let old = store.either(old, corrected)?;
    let new = store.either(new, corrected)?;
    let difference = diff(&old, &new);
    match format {
        "text" => Ok(difference.to_text()),
        "markdown" => Ok(difference.to_markdown()),
        "json" => Ok(difference.to_json()?),
        "html" => Ok(page::page(&old, &new, &difference)),
        other => bail!("unknown format `{other}`\n\n{USAGE}"),
    }
}
