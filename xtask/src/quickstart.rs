//! `cargo xtask quickstart`: follows the documentation as a reader does.

mod follow;
mod manifest;
mod page;
mod readmes;
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::workspace;
use page::Page;

/// The pages that are followed step by step.
const TUTORIALS: &str = "docs/tutorials";

pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => readmes::run()?,
        ["--tutorials"] => {
            for file in tutorials()? {
                follow::page(&Page::read(&file)?)?;
            }
        }
        [option, ..] if option.starts_with('-') => bail!("unknown option `{option}`"),
        files => {
            for file in files {
                follow::page(&Page::read(Path::new(file))?)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tutorials() -> Result<Vec<PathBuf>> {
    let folder = workspace::root().join(TUTORIALS);
    let names = workspace::names(&folder, Some(".md"))?.into_iter();
    Ok(names
        .map(|name| folder.join(format!("{name}.md")))
        .collect())
}

/// Returns how the files that readers of the tutorials end up with differ from those in the
/// workspace, which are compiled and tested.
pub(crate) fn differences() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for file in tutorials()? {
        let page = Page::read(&file)?;
        let files = page.files().with_context(|| page.name.clone())?;
        faults.extend(page.differences(&files)?);
    }
    Ok(faults)
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| workspace::display_path(file))
}
