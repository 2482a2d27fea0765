//! The TypeScript source of a published schema, if the command can read it.
//!
//! The parser is a feature, because it costs more time to compile than everything else here. A
//! command that needs it and does not have it runs itself again with the feature.

use std::path::Path;

use anyhow::{Result, ensure};
use codegen::schema::{Document, Facts};

use crate::{process, workspace};

/// `true` if this program can read TypeScript.
pub(crate) const SUPPORTED: bool = cfg!(feature = "typescript");

/// Checks that a source declares types of a published schema.
///
/// # Errors
///
/// Returns an error if it declares none of them, or if the file cannot be read.
pub(super) fn check(file: &str, published: &Document) -> Result<()> {
    let text = workspace::read(Path::new(file))?;
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .filter(|word| !word.is_empty())
        .collect();
    let mut pairs = words.windows(2);
    let declares = pairs.any(|pair| {
        matches!(pair, ["interface" | "type", name] if published.definitions.contains_key(*name))
    });
    let content = if text.trim().is_empty() {
        "the file is empty"
    } else {
        "the file declares none of them"
    };
    ensure!(
        declares,
        "{file}: expected the TypeScript source of the {} definitions of the schema, but {content}",
        published.definitions.len()
    );
    Ok(())
}

/// Reads the facts from a source, with warnings about what is left out of it.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
#[cfg(feature = "typescript")]
pub(super) fn facts(
    file: &str,
    published: &Document,
    revision: &str,
) -> Result<(Facts, Vec<String>)> {
    let text = workspace::read(Path::new(file))?;
    let (facts, warnings) = super::typescript::facts(&text, published, revision);
    let name = Path::new(file).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let lines = warnings.iter().map(|warning| format!("{name}:{warning}"));
    Ok((facts, lines.collect()))
}

#[cfg(not(feature = "typescript"))]
pub(super) fn facts(file: &str, _: &Document, _: &str) -> Result<(Facts, Vec<String>)> {
    let file = Path::new(file).display();
    anyhow::bail!("cannot read {file}: this needs the feature `typescript` of xtask")
}

/// Runs this command with a program that can read TypeScript.
///
/// # Errors
///
/// Returns an error if cargo cannot be run.
pub(crate) fn run_with_support() -> Result<bool> {
    println!("compiling the TypeScript parser, which takes about a minute the first time");
    let mut cargo = workspace::cargo();
    cargo.args([
        "run",
        "--quiet",
        "--features",
        "typescript",
        "--manifest-path",
    ]);
    cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    process::succeeds(cargo.arg("--").args(std::env::args_os().skip(1)))
}
