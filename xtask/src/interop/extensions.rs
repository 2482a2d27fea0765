//! Tests tasks and skills with clients and servers of other projects.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use super::running::Running;
use crate::node::Node;
use crate::subject::{self, Subject};
use crate::workspace::text;
use crate::{process, python, workspace};

/// The skills that every server has.
const SKILLS: &str = "mcp-server/examples/everything/skills";
const INSPECTOR: &str =
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
/// Compares the files of all skills with their list.
const VERIFY: &str = "--protocol-era modern --method skills/list --verify --require-digests";

/// A program of another project that is a client and a server.
struct Peer {
    name: &'static str,
    command: Vec<String>,
    /// The folder of skills, if the server needs it.
    skills: Option<String>,
    /// What our client checks.
    kinds: &'static [&'static str],
}

/// Runs all checks. Returns the runs that failed.
pub(super) fn run(node: &Node) -> Result<Vec<String>> {
    let folder = node.install("xtask/extensions")?;
    let [Some(tasks), Some(skills)] = [
        python::install_as(&folder, "tasks.txt", "tasks")?,
        python::install_as(&folder, "skills.txt", "skills")?,
    ] else {
        return Ok(Vec::new());
    };
    let rmcp = build_rmcp()?;
    let catalog = workspace::root().join(SKILLS);
    let peers = [
        Peer {
            name: "fastmcp",
            command: vec![
                text(&tasks)?.to_owned(),
                text(&folder.join("tasks.py"))?.to_owned(),
            ],
            skills: None,
            kinds: &["tasks"],
        },
        Peer {
            name: "fastmcp",
            command: vec![
                text(&skills)?.to_owned(),
                text(&folder.join("skills.py"))?.to_owned(),
            ],
            skills: Some(text(&catalog.join("pdf-forms"))?.to_owned()),
            kinds: &["skills"],
        },
        Peer {
            name: "rmcp",
            command: vec![text(&rmcp)?.to_owned()],
            skills: Some(text(&catalog)?.to_owned()),
            kinds: &["tasks", "skills"],
        },
    ];
    let mut failed = Vec::new();
    clients(node, &peers, &folder, &mut failed)?;
    servers(&peers, &folder, &mut failed)?;
    Ok(failed)
}

/// Builds the program with tasks and skills of rmcp, and returns its path.
fn build_rmcp() -> Result<PathBuf> {
    let folder = workspace::root().join("lab/extensions");
    let mut cargo = workspace::cargo();
    process::run(cargo.args(["build", "--locked"]).current_dir(folder))?;
    let name = format!("extensions-rmcp{}", std::env::consts::EXE_SUFFIX);
    let target = workspace::target_of("lab/extensions/Cargo.toml")?;
    Ok(target.join("debug").join(name))
}

/// Runs the clients against the example `everything`.
fn clients(node: &Node, peers: &[Peer], folder: &Path, failed: &mut Vec<String>) -> Result<()> {
    let program = subject::build("everything")?;
    let subject = Subject::start(&program, &["--port", "0"], folder)?;
    let program = text(&program)?;
    let ways = [
        ("stdio", vec![program, "--stdio"]),
        ("http", vec![&*subject.url]),
    ];
    for (way, target) in &ways {
        for peer in peers {
            let line = format!("client {} {} {way}", peer.name, peer.kinds.join(" "));
            let mut command = command(&peer.command);
            command.args(["client", way]).args(target);
            check(line, &mut command, folder, failed)?;
        }
        let mut command = Command::new(&node.program);
        command.args([INSPECTOR, "--cli"]).args(target);
        command.args(["--transport", way]).args(VERIFY.split(' '));
        let line = format!("client inspector skills {way}");
        check(line, &mut command, folder, failed)?;
    }
    println!(
        "\nskipped the Inspector's `resources/directory/read`: it needs members that only the"
    );
    println!("other results of the extension have");
    Ok(())
}

/// Runs our client against the servers.
fn servers(peers: &[Peer], folder: &Path, failed: &mut Vec<String>) -> Result<()> {
    let client = subject::build("interop")?;
    for peer in peers {
        let mut server = peer.command.clone();
        server.push("server".to_owned());
        server.extend(peer.skills.clone());
        let log = File::create(folder.join("server.log"))?;
        let port = process::free_port()?;
        let listening = [&*server, &[port.to_string()]].concat();
        let running = Running::start(&listening, &[], folder, &log, port)?;
        let ways = [
            [vec!["stdio".to_owned()], server].concat(),
            vec!["http".to_owned(), running.url("/mcp")],
        ];
        for way in &ways {
            for kind in peer.kinds {
                let line = format!("server {} {kind} {}", peer.name, way[0]);
                let mut command = Command::new(&client);
                command.args([kind, "any"]).args(way);
                command.stderr(log.try_clone()?);
                if !check(line, &mut command, folder, failed)? {
                    print!("{}", workspace::read(&folder.join("server.log"))?);
                }
            }
        }
    }
    Ok(())
}

/// Runs a client and reports whether it succeeds.
fn check(
    line: String,
    command: &mut Command,
    folder: &Path,
    failed: &mut Vec<String>,
) -> Result<bool> {
    println!("\n== {line}");
    let succeeds = process::succeeds(command.current_dir(folder).stdin(Stdio::null()))?;
    if !succeeds {
        failed.push(line);
    }
    Ok(succeeds)
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}
