//! `cargo xtask interop`: tests our server and client with those of other projects.

mod apps;
mod auth;
mod clients;
mod cluster;
mod extensions;
mod pages;
mod running;
mod servers;

use anyhow::Result;
use clap::Subcommand;

use crate::node::Node;
use crate::through::Through;
use crate::{browser, process};

/// Tests our server and client with those of other projects
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Runs the clients of xtask/interop against our server
    ///
    /// Runs them against the example `everything`, over stdio, HTTP and the deprecated HTTP+SSE, and
    /// against the examples `files` and `sqlite`, over stdio and HTTP.
    Server {
        /// A running server, over HTTP only
        #[arg(long, conflicts_with = "through")]
        url: Option<String>,
        /// Puts the example `gateway` of mcp-gateway before `everything`, and reaches it over HTTP
        /// or `stdio`, at the negotiated revision or another one
        #[arg(long, value_name = Through::FORM, value_parser = Through::parse)]
        through: Option<Through>,
    },
    /// Runs the example `interop` of mcp-client against servers from npm and `PyPI`
    ///
    /// Over the same transports, at the negotiated revision and at older ones.
    Client,
    /// Runs clients and servers of fastmcp and rmcp that have tasks and skills against ours
    ///
    /// Over stdio and HTTP, and the MCP Inspector's verification of skills.
    Extensions,
    /// Runs clients that need access tokens
    ///
    /// Runs those of other projects against the example `protected` of mcp-server-oauth with an
    /// authorization server from npm, and our client against the same and against protected servers
    /// of other projects.
    Auth,
    Cluster(cluster::Options),
    /// Runs the clients of xtask/interop in headless Chromium
    ///
    /// On pages of other origins than the server's, against the example `everything`.
    Browser,
    /// Shows the app of the example `apps` in headless Chromium, in a host with mcp-client
    Apps,
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> Result<bool> {
    let Some(node) = Node::find()? else {
        return Ok(true);
    };
    if let Command::Browser | Command::Apps = command
        && process::is_skipped(browser::missing())?
    {
        return Ok(true);
    }
    let failed = match command {
        Command::Server {
            through: Some(way), ..
        } => clients::run_through(&node, way)?,
        Command::Server { url, .. } => clients::run(&node, url.as_deref())?,
        Command::Client => servers::run(&node)?,
        Command::Extensions => extensions::run(&node)?,
        Command::Auth => auth::run(&node)?,
        Command::Cluster(options) => cluster::run(&node, options)?,
        Command::Browser => pages::run(&node, &browser::program()?)?,
        Command::Apps => apps::run(&node, &browser::program()?)?,
    };
    println!();
    for line in &failed {
        println!("failed: {line}");
    }
    Ok(failed.is_empty())
}
