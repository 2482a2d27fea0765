//! Shows the app of the example `apps` in a browser, with our client as the host.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::node::Node;
use crate::subject::{self, Subject};

/// Opens the app in Chromium and uses it. Returns the runs that failed.
pub(super) fn run(node: &Node, chromium: &Path) -> Result<Vec<String>> {
    let folder = node.copy("interop")?;
    let server = subject::build("apps")?;
    let host = subject::build("apps_host")?;
    let subject = Subject::start(&server, &["--port", "0"], &folder)?;
    let status = Command::new(&node.program)
        .args(["apps.js", &subject.url])
        .args([&host, chromium])
        .current_dir(&folder)
        .status()
        .context("cannot run node")?;
    Ok(if status.success() {
        Vec::new()
    } else {
        vec!["apps.js".to_owned()]
    })
}
