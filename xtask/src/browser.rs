//! Finds Chromium, in which web pages are tested as clients.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::node;

/// The possible names of the program.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// Returns the program, if it is installed. The variable `CHROMIUM` takes precedence.
pub(crate) fn find() -> Option<PathBuf> {
    let chosen = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let known = NAMES.into_iter().map(PathBuf::from);
    chosen
        .into_iter()
        .chain(known)
        .find(|program| runs(program))
}

fn runs(program: &Path) -> bool {
    let status = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Returns what is missing to test web pages, if anything.
pub(crate) fn missing() -> Option<&'static str> {
    node::missing().or_else(|| match find() {
        Some(_) => None,
        None => Some("Chromium is not installed"),
    })
}
