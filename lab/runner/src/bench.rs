//! `cargo xtask bench`.

mod files;
mod gateway;
mod scale;
mod search;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use peers::{Form, PEERS};

use crate::packages::{self, Package, Profile};
use crate::{process, workspace};

/// Measures speed, memory and sizes
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compares with `serde_json::Value` and the types of other crates
    ///
    /// Decodes and encodes the same messages, prints times and ratios, and draws the ratios in
    /// docs/images; then measures every message of every revision, as its own type and as each union
    /// that has it, and prints the ten slowest.
    Types {
        /// Measures for a short time only
        #[arg(long)]
        quick: bool,
    },
    /// Compares with other SDKs and the simplest possible server
    ///
    /// Sends the same requests over HTTP and stdio; prints speed, processor time, memory and size,
    /// with ratios and targets; and draws the ratios in docs/images.
    Server(Load),
    /// Compares with the clients of other SDKs
    ///
    /// Calls the same server over HTTP and stdio; prints speed, latency, processor time, memory and
    /// size; and draws the ratios in docs/images.
    Client(Load),
    /// Compares with a bare proxy and the proxy of fastmcp
    ///
    /// Calls a tool of mcp-server through each of them and without any, over HTTP; prints speed,
    /// processor time and added latency, with ratios and targets.
    Gateway {
        /// Measures for a short time only
        #[arg(long)]
        quick: bool,
    },
    /// Lists and changes a large tree with the example `files`
    ///
    /// Lists 100,000 files, in many folders and in one, and changes 10,000 of them at once; lists
    /// them once more with a description of each, and reads 1 GB at its URL; prints times, memory and
    /// notifications, and fails if the last version of a file is not reported.
    Files {
        /// Measures a smaller tree
        #[arg(long)]
        quick: bool,
    },
    Scale(scale::Options),
    /// Searches in 2,475 tools, beside fastmcp
    ///
    /// The tools are the operations of seven public OpenAPI documents. Searches for 60 tasks and for the
    /// names of 200 tools, and prints how often the first tool, or one of five, is a right one.
    Search,
    /// Decodes hostile texts, and fails if the time is not linear
    ///
    /// Texts of several shapes, each at four sizes, where each size is twice the previous one.
    Decoders,
}

/// How programs are put under load.
#[derive(Args)]
pub(crate) struct Load {
    /// Measures for a short time only
    #[arg(long)]
    quick: bool,
    /// Measures speed and memory of the rows whose name contains the text, and draws nothing
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Returns the servers that are measured, and the load generator.
fn servers() -> Vec<String> {
    let mut programs = ["floor", "http-lean", "http-ours", "hello-ours", "load"]
        .map(str::to_owned)
        .to_vec();
    for peer in &PEERS {
        programs.extend([peer.server(Form::Json), peer.server(Form::Line)]);
    }
    programs
}

/// Returns the clients that are measured, their server, and the load generator.
fn clients() -> Vec<String> {
    let mut programs = ["floor", "client-ours", "hello-client-ours", "load"]
        .map(str::to_owned)
        .to_vec();
    for peer in &PEERS {
        programs.push(peer.client());
        programs.extend(peer.hello_client());
    }
    programs
}

/// Runs the load generator.
const LOAD: [&str; 6] = ["run", "--quiet", "--release", "--package", "load", "--"];

/// Criterion's options for a short measurement.
const QUICK: [&str; 6] = [
    "--warm-up-time",
    "0.1",
    "--measurement-time",
    "0.2",
    "--sample-size",
    "10",
];

/// Runs the command.
pub(crate) fn run(command: &Command) -> Result<bool> {
    match command {
        Command::Types { quick: false } => types(&[]),
        Command::Types { quick: true } => types(&QUICK),
        Command::Server(options) => load("server", &servers(), options),
        Command::Client(options) => load("client", &clients(), options),
        Command::Gateway { quick } => gateway::run(*quick),
        Command::Files { quick } => files::run(*quick),
        Command::Scale(options) => scale::run(options),
        Command::Search => search::run(),
        Command::Decoders => decoders(),
    }
}

fn decoders() -> Result<bool> {
    let mut cargo = workspace::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "mcp-types"]);
    cargo.args(["--example", "decoders"]);
    process::succeeds(cargo.current_dir(workspace::root()))
}

fn types(options: &[&str]) -> Result<bool> {
    // Criterion's own report is written to the log; the table is printed last.
    let print = |arguments: &[&str]| {
        packages::cargo(
            &["run", "--quiet", "--release", "--package", "types"],
            arguments,
        )
    };
    Ok(packages::cargo(
        &["bench", "--package", "types", "--bench", "messages", "--"],
        options,
    )? && print(&["--", "table", workspace::text(&picture("types"))?])?
        && print(&["--", "every"])?)
}

/// A missed target is not a failure: machines differ, and most of them are busy with other work.
fn load(what: &str, programs: &[String], options: &Load) -> Result<bool> {
    let programs: Vec<_> = programs.iter().map(|name| Package::new(name)).collect();
    let folder = packages::build(&programs, Profile::Release)?;
    let picture = picture(what);
    let mut arguments = vec![workspace::text(&folder)?, what, workspace::text(&picture)?];
    arguments.extend(options.quick.then_some("--quick"));
    if let Some(only) = &options.only {
        arguments.extend(["--only", only]);
    }
    packages::cargo(&LOAD, &arguments)
}

fn picture(what: &str) -> PathBuf {
    let folder = workspace::root().join("docs/images");
    folder.join(format!("bench-{what}.svg"))
}
