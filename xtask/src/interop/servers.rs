//! Runs our client against servers of other projects.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::running::Running;
use crate::node::Node;
use crate::workspace::text;
use crate::{process, python, subject, workspace};

/// A kind of server, how to start it, and the revisions to test: `any` negotiates one.
struct Server {
    kind: &'static str,
    program: Program,
    arguments: &'static [&'static str],
    way: Way,
    revisions: &'static [&'static str],
}

/// The program that runs the server.
#[derive(Clone, Copy)]
enum Program {
    /// A package of npm.
    Node(&'static str),
    /// The script next to the packages.
    Python,
}

/// The transport.
#[derive(Clone, Copy)]
enum Way {
    Stdio,
    /// HTTP at this path. The port is the last argument, and an environment variable.
    Http(&'static str),
}

const EVERYTHING: Program = Program::Node("server-everything");

/// In the order of the transports.
const SERVERS: [Server; 8] = [
    Server {
        kind: "everything",
        program: EVERYTHING,
        arguments: &["stdio"],
        way: Way::Stdio,
        revisions: &["any", "2025-06-18", "2025-03-26", "2024-11-05"],
    },
    Server {
        kind: "filesystem",
        program: Program::Node("server-filesystem"),
        // Must differ from the folder that the client uses as a root.
        arguments: &[".."],
        way: Way::Stdio,
        revisions: &["any"],
    },
    Server {
        kind: "memory",
        program: Program::Node("server-memory"),
        arguments: &[],
        way: Way::Stdio,
        revisions: &["any"],
    },
    Server {
        kind: "python",
        program: Program::Python,
        arguments: &["stdio"],
        way: Way::Stdio,
        revisions: &[
            "any",
            "2025-11-25",
            "2025-06-18",
            "2025-03-26",
            "2024-11-05",
        ],
    },
    Server {
        kind: "everything",
        program: EVERYTHING,
        arguments: &["streamableHttp"],
        way: Way::Http("/mcp"),
        revisions: &["any", "2025-03-26"],
    },
    Server {
        kind: "python",
        program: Program::Python,
        arguments: &["streamable-http"],
        way: Way::Http("/mcp"),
        revisions: &["any", "2025-11-25"],
    },
    Server {
        kind: "everything",
        program: EVERYTHING,
        arguments: &["sse"],
        way: Way::Http("/sse"),
        revisions: &["any"],
    },
    Server {
        kind: "python",
        program: Program::Python,
        arguments: &["sse"],
        way: Way::Http("/sse"),
        revisions: &["any"],
    },
];

/// Runs all checks. Returns the runs that failed.
pub(super) fn run(node: &Node) -> Result<Vec<String>> {
    let folder = node.install("xtask/interop")?;
    let Some(python) = python::install(&folder)? else {
        return Ok(Vec::new());
    };
    let client = subject::build("interop")?;
    // Folders in which servers store their data, and which they may read.
    let work = folder.join("work");
    fs::create_dir_all(&work).with_context(|| workspace::display_path(&work))?;
    let mut failed = Vec::new();
    for server in SERVERS {
        let command = server.command(node, &python, &folder)?;
        for revision in server.revisions {
            let line = format!("{} {revision} {}", server.kind, server.arguments.join(" "));
            println!("\n== {line}");
            let log = File::create(work.join("server.log"))?;
            let running;
            let way = match server.way {
                Way::Stdio => [vec!["stdio".to_owned()], command.clone()].concat(),
                Way::Http(path) => {
                    let port = process::free_port()?;
                    let mut command = command.clone();
                    command.push(port.to_string());
                    let environment = [("PORT", port.to_string())];
                    running = Running::start(&command, &environment, &work, &log, port)?;
                    vec!["http".to_owned(), running.url(path)]
                }
            };
            let mut command = Command::new(&client);
            command.args([server.kind, revision]).args(way);
            command.env("MEMORY_FILE_PATH", work.join("memory.json"));
            command.current_dir(&work).stdin(Stdio::null()).stderr(log);
            if !process::succeeds(&mut command)? {
                print!("{}", workspace::read(&work.join("server.log"))?);
                failed.push(line);
            }
        }
    }
    Ok(failed)
}

impl Server {
    fn command(&self, node: &Node, python: &Path, folder: &Path) -> Result<Vec<String>> {
        let (program, script) = match self.program {
            Program::Node(name) => {
                let package = folder.join("node_modules/@modelcontextprotocol").join(name);
                (node.program.as_path(), package.join("dist/index.js"))
            }
            Program::Python => (python, folder.join("server.py")),
        };
        let mut command = vec![text(program)?.to_owned(), text(&script)?.to_owned()];
        command.extend(self.arguments.iter().map(|&argument| argument.to_owned()));
        Ok(command)
    }
}
