//! `cargo xtask interop`: tests our server and client with those of other projects.

mod apps;
mod auth;
mod clients;
mod cluster;
mod comparison;
mod extensions;
mod pages;
mod running;
mod servers;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::browser;
use crate::node::Node;
use crate::through::Through;

const USAGE: &str = "\
usage: cargo xtask interop server [--url URL | --through WAY]
       cargo xtask interop client
       cargo xtask interop extensions
       cargo xtask interop auth
       cargo xtask interop browser
       cargo xtask interop apps
       cargo xtask interop cluster [--store redis|postgres] [--only tasks | --quick]

  server  Runs the clients of xtask/interop against the example `everything`, over stdio, HTTP
          and the deprecated HTTP+SSE, and against the examples `files` and `sqlite`, over stdio
          and HTTP; or against the server at URL, over HTTP only; or over HTTP against the example
          `gateway` of mcp-gateway in front of `everything`. WAY is gateway[:stdio][:REVISION]: how
          the gateway reaches it, by default over HTTP and at the negotiated revision.
  client  Runs the example `interop` of mcp-client against servers from npm and PyPI, over the
          same transports, at the negotiated revision and at older ones.
  extensions
          Runs clients and servers of fastmcp and rmcp that have tasks and skills against ours, over
          stdio and HTTP, and the MCP Inspector's verification of skills.
  auth    Runs clients that need access tokens: those of other projects against the example
          `protected` of mcp-server with an authorization server from npm, and our client against the
          same and against protected servers of other projects.
  cluster Runs three processes of the example `everything` behind nginx, once on Redis and once on
          PostgreSQL, which it starts: the conformance suite, clients of npm, steps of one client at
          several processes, faults while 100 clients work, and tasks in each of their states whose
          processes are killed (--only tasks; not with --quick). Needs the three programs.
  browser Runs the clients of xtask/interop in headless Chromium, on pages of other origins than the
          server's, against the example `everything`, and opens the page of `schema diff`.
  apps    Shows the app of the example `apps` in headless Chromium, in the frames of a host that
          uses `mcp-client`, and uses it.";

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if !matches!(
        arguments[..],
        ["client" | "server" | "extensions" | "auth" | "browser" | "apps"]
            | ["server", "--url" | "--through", _]
            | ["cluster", ..]
    ) {
        bail!("{USAGE}");
    }
    let Some(node) = Node::find()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let failed = match arguments[..] {
        ["client"] => servers::run(&node)?,
        ["extensions"] => extensions::run(&node)?,
        ["auth"] => auth::run(&node)?,
        ["cluster", ref options @ ..] => {
            let options = cluster::Options::parse(options).context(USAGE)?;
            cluster::run(&node, options)?
        }
        [command @ ("browser" | "apps")] => {
            let Some(chromium) = browser::find() else {
                let why = "Chromium is not installed";
                if std::env::var_os("CI").is_some() {
                    bail!("{why}, and CI is set");
                }
                println!("skipped: {why}");
                return Ok(ExitCode::SUCCESS);
            };
            if command == "apps" {
                apps::run(&node, &chromium)?
            } else {
                let mut failed = comparison::run(&chromium)?;
                failed.extend(pages::run(&node, &chromium)?);
                failed
            }
        }
        ["server", "--through", way] => clients::run_through(&node, &Through::parse(way)?)?,
        _ => clients::run(&node, arguments.get(2).copied())?,
    };
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
