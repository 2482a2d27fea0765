//! Runs pages in a browser against our server.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::node::Node;
use crate::process;
use crate::subject::{self, Subject};

/// Opens the pages of `xtask/interop` in Chromium. Returns the runs that failed.
pub(super) fn run(node: &Node, chromium: &Path) -> Result<Vec<String>> {
    let folder = node.install("xtask/interop")?;
    // The server must know the origin of the page before the page is served.
    let port = process::free_port()?.to_string();
    let origin = format!("http://app.localhost:{port}");
    let program = subject::build("everything")?;
    let arguments = ["--port", "0", "--origin", &origin];
    let subject = Subject::start(&program, &arguments, &folder)?;
    let mut script = Command::new(&node.program);
    script
        .args(["browser.js", &subject.url, &port])
        .arg(chromium);
    let failed = !process::succeeds(script.current_dir(&folder))?;
    Ok(Vec::from_iter(failed.then(|| "browser.js".to_owned())))
}
