//! Runs pages in a browser against our server.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::node::Node;
use crate::subject::{self, Subject};

/// Opens the pages of `xtask/interop` in Chromium. Returns the runs that failed.
pub(super) fn run(node: &Node, chromium: &Path) -> Result<Vec<String>> {
    let folder = node.install("interop")?;
    // The server must know the origin of the page before the page is served. A port that was free a
    // moment ago is probably still free.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port()
        .to_string();
    let origin = format!("http://app.localhost:{port}");
    let program = subject::build("everything")?;
    let arguments = ["--port", "0", "--origin", &origin];
    let subject = Subject::start(&program, &arguments, &folder)?;
    let status = Command::new(&node.program)
        .args(["browser.js", &subject.url, &port])
        .arg(chromium)
        .current_dir(&folder)
        .status()
        .context("cannot run node")?;
    Ok(if status.success() {
        Vec::new()
    } else {
        vec!["browser.js".to_owned()]
    })
}
