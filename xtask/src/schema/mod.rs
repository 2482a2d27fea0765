//! `cargo xtask schema`: compares, imports and verifies schema documents.

mod import;
mod store;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use codegen::schema::{Document, diff, verify};

use self::store::Store;
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask schema <command>

  diff A B [--format text|markdown|json]
        prints the changes from A to B, each a revision or a file; errata are applied only if
        both are revisions
  import FILE --revision R
        stores the structure of a published file as revision R and prints what is left to do
  verify FILE --revision R
        checks that a published file has the structure of our revision R";

/// Returns the keys that a document of a revision needs and that `docs.json` does not have.
pub(crate) type MissingDocs = fn(revision: &str, document: &Document) -> Result<Vec<String>>;

/// Runs a subcommand. `missing_docs` returns the documentation texts that a document still needs.
///
/// # Errors
///
/// Returns an error for invalid arguments, for files that cannot be read or written, and for
/// documents that are not a schema.
pub(crate) fn run(args: &[String], missing_docs: MissingDocs) -> Result<ExitCode> {
    let store = Store::at(workspace::root().join("schema"));
    match args.split_first() {
        Some((command, rest)) if command == "diff" => {
            let arguments = Arguments::parse(rest, 2, "--format")?;
            print!("{}", compare(&store, &arguments)?);
            Ok(ExitCode::SUCCESS)
        }
        Some((command, rest)) if command == "import" => {
            let arguments = Arguments::parse(rest, 1, "--revision")?;
            let (file, revision) = arguments.file_and_revision()?;
            let report = import::import(&store, file, revision, missing_docs)?;
            print!("{}", report.text);
            Ok(if report.ready {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
        Some((command, rest)) if command == "verify" => {
            let arguments = Arguments::parse(rest, 1, "--revision")?;
            let (file, revision) = arguments.file_and_revision()?;
            let ours = store.revision(revision)?;
            let differences = verify(&store::read(Path::new(file))?, &ours);
            for difference in &differences {
                println!("{file}: {difference}");
            }
            if differences.is_empty() {
                let count = ours.definitions.len();
                println!("{file} has the structure of {revision}: {count} definitions");
                return Ok(ExitCode::SUCCESS);
            }
            println!(
                "{file} differs from {revision} in {} places",
                differences.len()
            );
            Ok(ExitCode::FAILURE)
        }
        Some((command, _)) => bail!("unknown command `{command}`\n\n{USAGE}"),
        None => bail!("a command is missing\n\n{USAGE}"),
    }
}

/// The arguments after the subcommand: positional arguments, and at most one option with a value.
struct Arguments<'a> {
    words: Vec<&'a str>,
    option: Option<&'a str>,
}

impl<'a> Arguments<'a> {
    fn parse(args: &'a [String], count: usize, option: &str) -> Result<Self> {
        let mut words = Vec::new();
        let mut value = None;
        let mut rest = args.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            let given = if word == option {
                Some(
                    rest.next()
                        .with_context(|| format!("`{option}` needs a value\n\n{USAGE}"))?,
                )
            } else {
                word.strip_prefix(option)
                    .and_then(|word| word.strip_prefix('='))
            };
            if let Some(given) = given {
                if value.replace(given).is_some() {
                    bail!("`{option}` is given twice\n\n{USAGE}");
                }
            } else if word.starts_with("--") {
                bail!("unknown option `{word}`\n\n{USAGE}");
            } else {
                words.push(word);
            }
        }
        if words.len() != count {
            bail!(
                "{count} positional argument(s) expected, {} found\n\n{USAGE}",
                words.len()
            );
        }
        Ok(Self {
            words,
            option: value,
        })
    }

    fn file_and_revision(&self) -> Result<(&'a str, &'a str)> {
        let file = self
            .words
            .first()
            .copied()
            .with_context(|| USAGE.to_owned())?;
        let revision = self
            .option
            .with_context(|| format!("`--revision` is missing\n\n{USAGE}"))?;
        store::check_name(revision)?;
        Ok((file, revision))
    }
}

fn compare(store: &Store, arguments: &Arguments<'_>) -> Result<String> {
    let [old, new] = arguments.words.as_slice() else {
        bail!("{USAGE}");
    };
    let corrected = store.has(old) && store.has(new);
    let difference = diff(
        &store.either(old, corrected)?,
        &store.either(new, corrected)?,
    );
    match arguments.option {
        None | Some("text") => Ok(difference.to_text()),
        Some("markdown") => Ok(difference.to_markdown()),
        Some("json") => Ok(difference.to_json()?),
        Some(other) => bail!("unknown format `{other}`\n\n{USAGE}"),
    }
}
