//! Authorization: clients against protected servers, each with an authorization server.
//!
//! A row of the table names a client, how it gets its tokens, and the server. A new row is an entry
//! in [`rows`].

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::running::Running;
use crate::node::Node;
use crate::{process, python, subject, workspace};

/// A client, the flow by which it gets tokens, and the server.
struct Row {
    client: Client,
    flow: &'static str,
    server: Server,
}

#[derive(Clone, Copy)]
enum Client {
    /// The TypeScript SDK in a version and an era.
    TypeScript(&'static str),
    /// The Python SDK.
    Python,
    /// The example `protected_client` with these options. Its output has to contain these texts.
    Ours(&'static [&'static str], &'static [&'static str]),
}

#[derive(Clone, Copy)]
enum Server {
    /// The example `protected` with these options, at a path. The package oidc-provider is the
    /// authorization server.
    Ours(&'static [&'static str], &'static str),
    /// The example of the TypeScript SDK, with an authorization server of its own.
    TypeScript,
    /// A server on the Python SDK, which is its own authorization server.
    Python,
}

const PLAIN: Server = Server::Ours(&["--scope", "mcp:use"], "/mcp");
/// Tokens that only the authorization server can read.
const OPAQUE: Server = Server::Ours(
    &[
        "--scope",
        "mcp:use",
        "--introspection",
        "server:secret-of-the-server",
    ],
    "/opaque/mcp",
);
/// Tokens that are bound to keys, and proofs with nonces.
const BOUND: Server = Server::Ours(&["--scope", "mcp:use", "--dpop", "nonces"], "/mcp");

const TYPESCRIPT: [&str; 3] = ["v1", "v2-legacy", "v2-modern"];

/// Calls of our client that need three authorizations: one scope after the other.
const CALLS: &[&str] = &[
    "--call",
    "whoami",
    "--call",
    "read",
    "--call",
    r#"delete={"path":"shared/a"}"#,
];
const RESULTS: &[&str] = &["tool delete", "read: some text", "delete: deleted shared/a"];
const DOCUMENT: &[&str] = &[
    "--document",
    "https://client.example/metadata.json",
    "--call",
    "whoami",
];
const CREDENTIALS: &[&str] = &[
    "--credentials",
    "machine:secret-of-the-machine",
    "--call",
    "whoami",
];

/// Returns the table.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |client, flow, server| {
        rows.push(Row {
            client,
            flow,
            server,
        });
    };
    for version in TYPESCRIPT {
        let client = Client::TypeScript(version);
        add(client, "registration", PLAIN);
        add(client, "document", PLAIN);
        add(client, "credentials", PLAIN);
        add(client, "registration", OPAQUE);
        // Version 1 does not know proofs of possession.
        if version != "v1" {
            add(client, "dpop", BOUND);
        }
    }
    for flow in ["registration", "document", "credentials"] {
        add(Client::Python, flow, PLAIN);
    }
    add(Client::Python, "registration", OPAQUE);

    add(Client::Ours(CALLS, RESULTS), "registration", PLAIN);
    add(Client::Ours(CALLS, RESULTS), "registration", OPAQUE);
    add(Client::Ours(CALLS, RESULTS), "dpop", BOUND);
    let said = &["whoami: ada with a bearer token: mcp:use"];
    add(Client::Ours(DOCUMENT, said), "document", PLAIN);
    let said = &["whoami: machine with a bearer token: mcp:use"];
    add(Client::Ours(CREDENTIALS, said), "credentials", PLAIN);
    let said = &["whoami: machine with a token that is bound to a key: mcp:use"];
    add(Client::Ours(CREDENTIALS, said), "credentials", BOUND);
    let greet = &["--call", r#"greet={"name":"Ada"}"#];
    let said = &["greet: Hello, Ada!"];
    add(
        Client::Ours(greet, said),
        "registration",
        Server::TypeScript,
    );
    let add_numbers = &["--call", r#"add={"a":1,"b":2}"#];
    let said = &["add: "];
    add(
        Client::Ours(add_numbers, said),
        "registration",
        Server::Python,
    );
    rows
}

/// The programs of the rows.
struct Programs<'a> {
    node: &'a Path,
    python: PathBuf,
    protected: PathBuf,
    client: PathBuf,
    /// Has the scripts and the packages.
    folder: PathBuf,
    work: PathBuf,
}

/// Runs all rows. Returns those that failed.
pub(super) fn run(node: &Node) -> Result<Vec<String>> {
    let folder = node.install("xtask/interop")?;
    let Some(python) = python::install(&folder)? else {
        return Ok(Vec::new());
    };
    let work = folder.join("work");
    fs::create_dir_all(&work).with_context(|| workspace::display_path(&work))?;
    let programs = Programs {
        node: &node.program,
        python,
        protected: subject::build("protected")?,
        client: subject::build("protected_client")?,
        folder,
        work,
    };
    let mut failed = Vec::new();
    for row in rows() {
        let name = row.name();
        println!("\n== {name}");
        if !programs.succeeds(&row)? {
            print!("{}", workspace::read(&programs.work.join("provider.log"))?);
            print!("{}", workspace::read(&programs.work.join("server.log"))?);
            failed.push(name);
        }
    }
    Ok(failed)
}

impl Row {
    fn name(&self) -> String {
        let client = match self.client {
            Client::TypeScript(version) => format!("TypeScript SDK {version}"),
            Client::Python => "Python SDK".to_owned(),
            Client::Ours(..) => "our client".to_owned(),
        };
        let server = match self.server {
            Server::Ours(options, path) => format!("protected {} at {path}", options.join(" ")),
            Server::TypeScript => "the server of the TypeScript SDK".to_owned(),
            Server::Python => "a server on the Python SDK".to_owned(),
        };
        format!("{client}, {}, against {server}", self.flow)
    }
}

/// A protected server, and its authorization server unless that is in the same process.
struct Protected {
    url: String,
    issuer: String,
    _provider: Option<Running>,
    _server: Running,
}

impl Programs<'_> {
    fn succeeds(&self, row: &Row) -> Result<bool> {
        let protected = self.start(row.server)?;
        let (url, issuer) = (protected.url.as_str(), protected.issuer.as_str());
        let command = match row.client {
            Client::TypeScript(version) => {
                let mut command = Command::new(self.node);
                command.args(["auth.js", version, row.flow, url, issuer]);
                command
            }
            Client::Python => {
                let mut command = Command::new(&self.python);
                command.args(["auth.py", row.flow, url, issuer]);
                command.env("NODE", self.node);
                command
            }
            Client::Ours(options, _) => {
                let mut command = Command::new(self.node);
                command
                    .arg("ours.js")
                    .arg(&self.client)
                    .arg(url)
                    .args(options);
                command
            }
        };
        let mut command = command;
        let output = command
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run the client")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        print!("{text}");
        let Client::Ours(_, expected) = row.client else {
            return Ok(output.status.success());
        };
        let missing = expected.iter().find(|expected| !text.contains(**expected));
        if let Some(missing) = missing {
            println!("expected `{missing}`");
        }
        Ok(output.status.success() && missing.is_none())
    }

    fn start(&self, server: Server) -> Result<Protected> {
        let log = File::create(self.work.join("server.log"))?;
        let provider_log = File::create(self.work.join("provider.log"))?;
        let port = process::free_port()?;
        let other = process::free_port()?;
        let text = |path: &Path| workspace::text(path).map(str::to_owned);
        match server {
            Server::Ours(options, path) => {
                let script = text(&self.folder.join("provider.js"))?;
                let command = [text(self.node)?, script, other.to_string()];
                let provider = Running::start(&command, &[], &self.work, &provider_log, other)?;
                let issuer = provider.url("");
                let url = format!("http://127.0.0.1:{port}{path}");
                let address = format!("127.0.0.1:{port}");
                let mut command = vec![text(&self.protected)?];
                command.extend(["--issuer", &issuer, "--resource", &url].map(str::to_owned));
                command.extend(["--address", &address].map(str::to_owned));
                command.extend(options.iter().map(|&option| option.to_owned()));
                Ok(Protected {
                    url,
                    issuer,
                    _server: Running::start(&command, &[], &self.work, &log, port)?,
                    _provider: Some(provider),
                })
            }
            Server::TypeScript => {
                let script = "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/\
                              simpleStreamableHttp.js";
                let script = text(&self.folder.join(script))?;
                let flags = ["--oauth", "--oauth-strict"].map(str::to_owned);
                let command = [vec![text(self.node)?, script], flags.to_vec()].concat();
                let environment = [
                    ("MCP_PORT", port.to_string()),
                    ("MCP_AUTH_PORT", other.to_string()),
                ];
                let server = Running::start(&command, &environment, &self.work, &log, port)?;
                Ok(Protected {
                    // The names under which the example knows itself.
                    url: format!("http://localhost:{port}/mcp"),
                    issuer: format!("http://localhost:{other}/"),
                    _provider: None,
                    _server: server,
                })
            }
            Server::Python => {
                let script = text(&self.folder.join("auth_server.py"))?;
                let command = [text(&self.python)?, script, port.to_string()];
                let server = Running::start(&command, &[], &self.work, &log, port)?;
                Ok(Protected {
                    url: server.url("/mcp"),
                    issuer: server.url(""),
                    _provider: None,
                    _server: server,
                })
            }
        }
    }
}
