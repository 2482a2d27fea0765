//! Clients that log in at `mcp gateway`, whose users have accounts at an authorization server from npm.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use clap::Args;

use super::running::Running;
use crate::gateway::{self, Gateway};
use crate::node::Node;
use crate::workspace::text;
use crate::{process, python, subject, workspace};

/// A running gateway, instead of one that the command starts.
#[derive(Args)]
pub(crate) struct Options {
    /// A running gateway, whose provider will be at the port of the option `--provider`
    #[arg(long, requires = "provider")]
    gateway: Option<String>,
    /// The port at which the provider will listen
    #[arg(long, requires = "gateway")]
    provider: Option<u16>,
    /// A URL that the browser of the user requests before each page
    #[arg(long)]
    between: Option<String>,
}

/// The program of the official suite, in the folder of its package.
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/// A client: its name, its command, and what it prints.
type Row = (&'static str, Vec<String>, &'static str);

/// Runs all clients. Returns those that failed.
pub(super) fn run(node: &Node, options: &Options) -> Result<Vec<String>> {
    let folder = node.install("xtask/interop")?;
    let others = node.install("xtask/extensions")?;
    let suite = node.install("xtask/conformance")?;
    let [Some(python), Some(fastmcp)] = [
        python::install(&folder)?,
        python::install_as(&others, "skills.txt", "skills")?,
    ] else {
        return Ok(Vec::new());
    };
    let work = folder.join("login");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work).with_context(|| workspace::display_path(&work))?;
    let provider = match options.provider {
        Some(port) => port,
        None => process::free_port()?,
    };
    let (gateway, _running) = match &options.gateway {
        Some(url) => (url.clone(), None),
        None => start_gateway(provider, &work)?,
    };
    let server = format!("{gateway}/mcp");
    let callback = format!("{gateway}/callback");
    let log = File::create(work.join("provider.log"))?;
    let command = [
        text(&node.program)?.to_owned(),
        text(&folder.join("provider.js"))?.to_owned(),
        provider.to_string(),
        callback,
    ];
    let _provider = Running::start(&command, &[], &work, &log, provider)?;
    let programs = Programs {
        node: text(&node.program)?,
        python: text(&python)?,
        fastmcp: text(&fastmcp)?,
        others: &others,
        suite: &suite.join(SUITE),
    };
    let mut failed = Vec::new();
    for (name, command, expected) in programs.rows(&server)? {
        println!("\n== {name} logs in");
        let mut client = Command::new(&command[0]);
        client.args(&command[1..]).current_dir(&folder);
        client
            .env("NODE", &node.program)
            .env("MCP_AUTH_DIR", work.join("tokens"))
            .env("MCP_REMOTE_CONFIG_DIR", work.join("mcp-remote"))
            .env("MCP_STORAGE_DIR", work.join("inspector"))
            .env("BROWSER", "true")
            // The Inspector logs in only for somebody who sees it.
            .env("MCP_AUTO_OPEN_ENABLED", "true");
        if let Some(between) = &options.between {
            client.env("BETWEEN_STEPS", between);
        }
        let output = client
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output();
        let output = output.with_context(|| format!("cannot run {name}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        print!("{printed}");
        if !output.status.success() || !printed.contains(expected) {
            println!("{}, expected `{expected}`", output.status);
            failed.push(name.to_owned());
        }
    }
    if !failed.is_empty() {
        for log in ["provider.log", "gateway.log"] {
            let log = work.join(log);
            if log.exists() {
                print!("{}", workspace::read(&log)?);
            }
        }
    }
    Ok(failed)
}

/// Starts `mcp gateway` with the example `everything` behind it. Returns its URL without a path.
fn start_gateway(provider: u16, work: &Path) -> Result<(String, Option<Running>)> {
    let port = process::free_port()?;
    let url = format!("http://127.0.0.1:{port}");
    let command = Gateway::build(work)?.command(port, &url, provider)?;
    let log = File::create(work.join("gateway.log"))?;
    let environment = [(gateway::SECRET.0, gateway::SECRET.1.to_owned())];
    let running = Running::start(&command, &environment, work, &log, port)?;
    Ok((url, Some(running)))
}

/// The programs of the clients.
struct Programs<'a> {
    node: &'a str,
    python: &'a str,
    fastmcp: &'a str,
    /// The folder with the packages of `xtask/extensions`.
    others: &'a Path,
    suite: &'a Path,
}

impl Programs<'_> {
    fn rows(&self, server: &str) -> Result<Vec<Row>> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let package = |path: &str| -> Result<String> {
            Ok(text(&self.others.join("node_modules").join(path))?.to_owned())
        };
        let inspector = package("@modelcontextprotocol/inspector/clients/launcher/build/index.js")?;
        let remote = package("mcp-remote/dist/proxy.js")?;
        let fastmcp = self.others.join("login.py");
        let client = subject::build("protected_client")?;
        let mcp = subject::build_program("mcp")?;
        let (client, mcp) = (text(&client)?, text(&mcp)?);
        let said = "This is a simple text response for testing.";
        let node = self.node;
        let mut rows: Vec<Row> = Vec::new();
        for version in ["v1", "v2-legacy", "v2-modern"] {
            let line = [node, "auth.js", version, "login", server, server];
            rows.push(("the TypeScript SDK", owned(&line), "0 failed"));
        }
        let opened = [node, "opened.js"];
        let line = [self.python, "auth.py", "login", server, server];
        rows.push(("the Python SDK", owned(&line), "refresh token rotates"));
        let line = [
            node,
            "ours.js",
            client,
            server,
            "--call",
            "test_simple_text",
        ];
        rows.push(("our client", owned(&line), said));
        let line = [&opened[..], &[mcp, "login", server, "--no-browser"]].concat();
        rows.push(("`mcp login`", owned(&line), ""));
        let line = [mcp, "call", server, "test_simple_text"];
        rows.push(("`mcp call` after it", owned(&line), said));
        let line = [&opened[..], &[self.fastmcp, text(&fastmcp)?, server]].concat();
        rows.push(("fastmcp", owned(&line), said));
        let line = [node, "remote.js", &remote, server];
        rows.push(("mcp-remote", owned(&line), said));
        let call = ["--method", "tools/list", "--transport", "http"];
        let line = [&opened[..], &[node, &inspector, "--cli", server], &call].concat();
        rows.push(("the MCP Inspector", owned(&line), "test_simple_text"));
        let line = [
            node,
            "suite.js",
            text(self.suite)?,
            server.trim_end_matches("/mcp"),
        ];
        rows.push(("the official suite", owned(&line), "0 failed"));
        Ok(rows)
    }
}
