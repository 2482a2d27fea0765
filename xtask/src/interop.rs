//! `cargo xtask interop`: tests our server and client with those of other projects.

mod apps;
mod auth;
mod clients;
mod extensions;
mod login;
mod pages;
mod running;
mod servers;

use anyhow::Result;
use clap::Subcommand;

use crate::node::Node;
use crate::through::Through;
use crate::{browser, lab, process};

/// Tests our server and client with those of other projects
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Runs three processes of the example `everything` behind nginx, on each store
    Cluster(lab::Arguments),
    /// Runs programs and tests for Windows under Wine
    Windows(lab::Arguments),
    #[command(flatten)]
    WithNode(WithNode),
}

/// The commands that need Node.
#[derive(Subcommand)]
pub(crate) enum WithNode {
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
    /// Runs clients of other projects that log in at `mcp gateway`
    ///
    /// Those of both SDKs, of fastmcp, mcp-remote and the MCP Inspector, `mcp login` and mcp-client. The users
    /// have accounts at an authorization server from npm.
    Login(login::Options),
    /// Runs the clients of xtask/interop in headless Chromium
    ///
    /// On pages of other origins than the server's, against the example `everything`.
    Browser,
    /// Shows the app of the example `apps` in headless Chromium, in a host with mcp-client
    Apps,
}

/// Runs the command.
pub(crate) fn run(command: &Command) -> Result<bool> {
    match command {
        Command::Cluster(arguments) => lab::run(lab::INTEROP, &["interop", "cluster"], arguments),
        Command::Windows(arguments) => lab::run(lab::INTEROP, &["interop", "windows"], arguments),
        Command::WithNode(command) => command.run(),
    }
}

impl WithNode {
    fn run(&self) -> Result<bool> {
        let Some(node) = Node::find()? else {
            return Ok(true);
        };
        if let Self::Browser | Self::Apps = self
            && process::is_skipped(browser::missing())?
        {
            return Ok(true);
        }
        let failed = match self {
            Self::Server {
                through: Some(way), ..
            } => clients::run_through(&node, way)?,
            Self::Server { url, .. } => clients::run(&node, url.as_deref())?,
            Self::Client => servers::run(&node)?,
            Self::Extensions => extensions::run(&node)?,
            Self::Auth => auth::run(&node)?,
            Self::Login(options) => login::run(&node, options)?,
            Self::Browser => pages::run(&node, &browser::program()?)?,
            Self::Apps => apps::run(&node, &browser::program()?)?,
        };
        println!();
        for line in &failed {
            println!("failed: {line}");
        }
        Ok(failed.is_empty())
    }
}
