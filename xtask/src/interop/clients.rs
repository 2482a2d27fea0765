//! Clients that we did not write against our server.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::node::Node;
use crate::subject::{self, Subject};

/// The clients: a script, and the era in which it speaks where it knows more than one.
const CLIENTS: [&[&str]; 3] = [&["v1.js"], &["v2.js", "legacy"], &["v2.js", "modern"]];
/// The one that knows the transport of 2024-11-05, too.
const OLD: &[&str] = CLIENTS[0];

/// Runs them against the example `everything`, or against the server at a URL; gives those that
/// failed.
pub(super) fn run(node: &Node, url: Option<&str>) -> Result<Vec<String>> {
    let folder = node.install("interop")?;
    // The ways to reach the server. Another one than ours need not have all that ours has.
    let subject;
    let mut ways = Vec::new();
    let mut old = None;
    if let Some(url) = url {
        ways.push(vec!["--lenient", "http", url]);
    } else {
        subject = Subject::start(&subject::build("mcp-server", "everything")?, &folder)?;
        old = Some(subject.url.replace("/mcp", "/sse"));
        let program = subject.program.to_str();
        ways.push(vec!["http", &subject.url]);
        let program = program.context("a path that is not UTF-8")?;
        ways.push(vec!["stdio", program, "--stdio"]);
    }
    let mut failed = Vec::new();
    for client in CLIENTS {
        let old = old.as_deref().filter(|_| client == OLD);
        let old = old.map(|url| vec!["sse", url]);
        for way in ways.iter().chain(&old) {
            let line = [client, way].concat();
            println!("\n== {}", line.join(" "));
            if !succeeds(&node.program, &folder, &line)? {
                failed.push(line.join(" "));
            }
        }
    }
    Ok(failed)
}

fn succeeds(node: &Path, folder: &Path, line: &[&str]) -> Result<bool> {
    let status = Command::new(node)
        .args(line)
        .current_dir(folder)
        .status()
        .context("cannot run node")?;
    Ok(status.success())
}
