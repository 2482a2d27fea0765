//! `cargo xtask interop`: clients that we did not write against our server.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::node::Node;
use crate::subject::{self, Subject};

const USAGE: &str = "\
usage: cargo xtask interop server [--url URL]

  Runs the clients of xtask/interop against the example `everything`, over stdio, HTTP
  and the deprecated HTTP+SSE, or against the server at URL, over HTTP alone.";

/// The clients: a script, and the era in which it speaks where it knows more than one.
const CLIENTS: [&[&str]; 3] = [&["v1.js"], &["v2.js", "legacy"], &["v2.js", "modern"]];
/// The one that knows the transport of 2024-11-05, too.
const OLD: &[&str] = CLIENTS[0];

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let url = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server"] => None,
        ["server", "--url", url] => Some(url.to_owned()),
        _ => bail!("{USAGE}"),
    };
    let Some(node) = Node::find()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let folder = node.install("interop")?;
    // The ways to reach the server. Another one than ours need not have all that ours has.
    let subject;
    let mut ways = Vec::new();
    let mut old = None;
    if let Some(url) = &url {
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
    println!();
    for line in &failed {
        println!("failed: {line}");
    }
    Ok(if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn succeeds(node: &Path, folder: &Path, line: &[&str]) -> Result<bool> {
    let status = Command::new(node)
        .args(line)
        .current_dir(folder)
        .status()
        .context("cannot run node")?;
    Ok(status.success())
}
