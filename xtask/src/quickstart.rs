//! `cargo xtask quickstart`: follows the documentation as a reader does.

mod follow;
mod manifest;
mod page;
mod readmes;
mod terminal;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::workspace;
use page::Page;

/// The pages that are followed step by step.
const TUTORIALS: &str = "docs/tutorials";

/// Follows the documentation as a reader does
///
/// Without arguments, builds and runs the programs of the READMEs and of docs/start.md. Tutorials are
/// followed step by step, and what programs print is compared.
#[derive(Args)]
pub(crate) struct Options {
    /// Follows all tutorials
    #[arg(long)]
    tutorials: bool,
    /// Follows these tutorials
    #[arg(conflicts_with = "tutorials")]
    pages: Vec<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let pages = if options.tutorials {
        tutorials()?
    } else {
        options.pages.clone()
    };
    if pages.is_empty() {
        readmes::run()?;
    }
    for file in pages {
        follow::page(&Page::read(&file)?)?;
    }
    Ok(true)
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
