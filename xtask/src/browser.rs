//! Finds Chromium, in which web pages are tested as clients.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{node, process};

const MISSING: &str = "Chromium is not installed";

/// The possible names of the program.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// Returns the program, if it is installed. The variable `CHROMIUM` takes precedence.
fn find() -> Option<PathBuf> {
    let chosen = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let known = NAMES.into_iter().map(PathBuf::from);
    let mut programs = chosen.into_iter().chain(known);
    programs.find(|program| process::succeeds_quietly(Command::new(program).arg("--version")))
}

/// Returns the program.
pub(crate) fn program() -> Result<PathBuf> {
    find().context(MISSING)
}

/// Returns what is missing to test web pages, if anything.
pub(crate) fn missing() -> Option<&'static str> {
    node::missing().or_else(|| find().is_none().then_some(MISSING))
}
