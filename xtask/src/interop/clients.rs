//! Runs clients of other projects against our server.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::node::Node;
use crate::subject::{self, Subject};
use crate::through::Through;
use crate::{process, python, workspace};

/// The clients: a script, and the era to use if it supports several.
const CLIENTS: [&[&str]; 3] = [&["v1.js"], &["v2.js", "legacy"], &["v2.js", "modern"]];
/// The client that also supports the transport of 2024-11-05.
const OLD: &[&str] = CLIENTS[0];

/// Runs the clients against the examples `everything`, `files` and `sqlite`, or against the server
/// at a URL. Returns the clients that failed.
pub(super) fn run(node: &Node, url: Option<&str>) -> Result<Vec<String>> {
    let folder = node.install("xtask/interop")?;
    // The addresses for the transports. A server at a given URL need not support all of them.
    let subject;
    let mut tasks = None;
    let mut ways = Vec::new();
    let mut old = None;
    if let Some(url) = url {
        ways.push(vec!["--lenient", "http", url]);
    } else {
        let program = subject::build("everything")?;
        subject = Subject::start(&program, &["--port", "0"], &folder)?;
        tasks = Some(vec!["tasks.js", &subject.url]);
        old = Some(subject.url.replace("/mcp", "/sse"));
        let program = workspace::text(&subject.program)?;
        ways.push(vec!["http", &subject.url]);
        ways.push(vec!["stdio", program, "--stdio"]);
    }
    let mut failed = Vec::new();
    for client in CLIENTS {
        let old = old.as_deref().filter(|_| client == OLD);
        let old = old.map(|url| vec!["sse", url]);
        for way in ways.iter().chain(&old) {
            let line = [client, way].concat();
            failed.extend(fault(&node.program, &folder, &line)?);
        }
    }
    if let Some(line) = tasks {
        failed.extend(fault(&node.program, &folder, &line)?);
    }
    if url.is_none() {
        files(node, &folder, &mut failed)?;
        notes(node, &folder, &mut failed)?;
    }
    Ok(failed)
}

/// Runs the clients against a gateway in front of the example `everything`, and the one of the
/// Python SDK against a gateway in front of `sqlite`. Returns the clients that failed.
pub(super) fn run_through(node: &Node, through: &Through) -> Result<Vec<String>> {
    let folder = node.install("xtask/interop")?;
    let served = through.start(&folder)?;
    let mut failed = Vec::new();
    for client in CLIENTS {
        let line = [client, &["http", &served.front.url]].concat();
        failed.extend(fault(&node.program, &folder, &line)?);
    }
    if let Some(python) = python::install(&folder)? {
        let database = empty_database(&folder, "behind.db")?;
        let http = [&*database, "--http", "127.0.0.1:0"];
        let served = through.start_example("sqlite", &http, &[&database], &folder)?;
        let line = ["notes.py", "gateway", &served.front.url];
        failed.extend(fault(&python, &folder, &line)?);
    }
    Ok(failed)
}

/// Starts the example `files` over both transports.
const PAGES: [&str; 2] = ["--page-size", "50"];

/// Runs the clients against the example `files`, which uses proposals that they do not support.
fn files(node: &Node, folder: &Path, failed: &mut Vec<String>) -> Result<()> {
    let program = subject::build("files")?;
    let root = folder.join("files");
    fill(&root).with_context(|| workspace::display_path(&root))?;
    let root = workspace::text(&root)?;
    let urls = [
        "--http",
        "127.0.0.1:0",
        "--public-url",
        "https://files.example.com",
    ];
    let subject = Subject::start(&program, &[&[root], &PAGES[..], &urls].concat(), folder)?;
    let program = workspace::text(&program)?;
    let stdio = [&["stdio", program, root], &PAGES[..]].concat();
    for client in CLIENTS {
        for way in [&["http", subject.url.as_str()], &stdio[..]] {
            let line = [client, &["--files", root], way].concat();
            failed.extend(fault(&node.program, folder, &line)?);
        }
    }
    Ok(())
}

/// Runs the clients, and one of the Python SDK, against the example `sqlite` over both transports.
fn notes(node: &Node, folder: &Path, failed: &mut Vec<String>) -> Result<()> {
    let program = subject::build("sqlite")?;
    let served = empty_database(folder, "served.db")?;
    let piped = empty_database(folder, "piped.db")?;
    let urls = ["--public-url", "https://notes.example.com"];
    let arguments = [&[&*served, "--http", "127.0.0.1:0"], &urls[..]].concat();
    let subject = Subject::start(&program, &arguments, folder)?;
    let program = workspace::text(&program)?;
    let mut clients: Vec<(&Path, Vec<&str>)> = CLIENTS
        .iter()
        .map(|client| (&*node.program, [client, &["--notes"][..]].concat()))
        .collect();
    let python = python::install(folder)?;
    if let Some(python) = &python {
        clients.push((python, vec!["notes.py"]));
    }
    for (interpreter, client) in clients {
        for way in [
            &["http", subject.url.as_str()],
            &["stdio", program, &piped][..],
        ] {
            let line = [&client, way].concat();
            failed.extend(fault(interpreter, folder, &line)?);
        }
    }
    Ok(())
}

/// Returns the path of a database that does not exist yet.
fn empty_database(folder: &Path, name: &str) -> Result<String> {
    let database = folder.join(name);
    if database.exists() {
        fs::remove_file(&database).with_context(|| workspace::display_path(&database))?;
    }
    Ok(workspace::text(&database)?.to_owned())
}

/// Creates exactly the files that the checks expect.
fn fill(root: &Path) -> std::io::Result<()> {
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    fs::create_dir_all(root.join("a b"))?;
    fs::create_dir_all(root.join("many"))?;
    fs::write(root.join("hello.txt"), "hello")?;
    fs::write(root.join("picture.png"), b"\x89PNG\xff")?;
    fs::write(root.join("a b/c%.ts"), "let c;")?;
    for number in 0..300 {
        fs::write(
            root.join(format!("many/{number}.md")),
            format!("# {number}"),
        )?;
    }
    Ok(())
}

/// Runs a client. Returns its command line if it fails.
fn fault(interpreter: &Path, folder: &Path, line: &[&str]) -> Result<Option<String>> {
    let shown = line.join(" ");
    println!("\n== {shown}");
    let mut command = Command::new(interpreter);
    let succeeds = process::succeeds(command.args(line).current_dir(folder))?;
    Ok((!succeeds).then_some(shown))
}
