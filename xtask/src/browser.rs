//! Chromium, in which a page is a client.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::node;

/// The names that the program has.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// Returns the program, if the machine has it. The variable `CHROMIUM` takes precedence.
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

/// Returns what is missing for a page as a client, if anything is.
pub(crate) fn missing() -> Option<&'static str> {
    node::missing().or_else(|| match find() {
        Some(_) => None,
        None => Some("there is no Chromium here"),
    })
}
