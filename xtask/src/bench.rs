//! `cargo xtask bench`.

mod files;
mod gateway;
mod scale;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::{peers, workspace};

const USAGE: &str = "\
usage: cargo xtask bench types [--quick]
       cargo xtask bench server [--quick] [--only TEXT]
       cargo xtask bench client [--quick] [--only TEXT]
       cargo xtask bench gateway [--quick]
       cargo xtask bench files [--quick]
       cargo xtask bench scale [--quick] [--only store|memory|changes]
       cargo xtask bench decoders

  types   decodes and encodes the same messages with mcp-types, with serde_json::Value and with the
          types of other crates, and prints times and ratios; then every message of every revision,
          as its own type and as each union that has it, and prints the ten slowest
  server  sends the same requests to mcp-server, to rmcp, to turbomcp and to the simplest possible
          server, over HTTP and stdio, and prints speed, processor time, memory and size, with ratios
          and targets; with `--only`, speed and memory of the rows whose name contains the text
  client  calls the same server with mcp-client and the clients of rmcp and turbomcp, over HTTP and
          stdio, and prints speed, latency, processor time, memory and size; `--only` as above

  These three draw the ratios in docs/images/bench-types.svg, bench-server.svg and bench-client.svg,
  unless `--only` is given.

  gateway calls a tool of mcp-server through mcp-gateway, through a proxy on hyper that only parses
          each message, through the proxy of fastmcp and without any, over HTTP; prints speed,
          processor time and added latency, with ratios and targets

  files   lists 100,000 files with the example `files` of mcp-server, in many folders and in one, and
          changes 10,000 of them at once; lists them once more with a description of each, and reads
          1 GB at its URL; prints times, memory and notifications, and fails if the last version of a
          file is not reported

  scale   runs the example `everything` of mcp-server with many sessions and streams, alone and with
          Redis and PostgreSQL, which it starts; prints what sessions, subscriptions, changes and
          resumed streams ask of the store, the memory of 10,000 sessions and of 10,000 streams, and
          how soon 10,000 streams have changes, see docs/scale.md

  decoders  decodes hostile texts of several shapes, each at four sizes, where each size is twice the
          previous one; prints times and ratios, and fails if the time is not linear

  `--quick` measures for a short time only.";

/// The servers that are measured, and the load generator.
const SERVERS: [&str; 9] = [
    "floor",
    "http-lean",
    "http-ours",
    "http-rmcp",
    "http-turbomcp",
    "hello-ours",
    "hello-rmcp",
    "hello-turbomcp",
    "load",
];

/// The clients that are measured, their server, and the load generator.
const CLIENTS: [&str; 8] = [
    "floor",
    "client-ours",
    "client-rmcp",
    "client-turbomcp",
    "hello-client-ours",
    "hello-client-rmcp",
    "hello-client-turbomcp",
    "load",
];

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
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["types"] => types(&[]),
        ["types", "--quick"] => types(&QUICK),
        ["server", ref options @ ..] => load("server", &SERVERS, options),
        ["client", ref options @ ..] => load("client", &CLIENTS, options),
        ["gateway", ref options @ ..] => gateway::run(options),
        ["decoders"] => decoders(),
        ["scale", ref options @ ..] => scale::run(options),
        ["files"] => files::run(false),
        ["files", "--quick"] => files::run(true),
        _ => bail!("{USAGE}"),
    }
}

fn decoders() -> Result<ExitCode> {
    let example = ["run", "--quiet", "--release", "--package", "mcp-types"];
    let status = Command::new(workspace::cargo())
        .args(example)
        .args(["--example", "decoders"])
        .current_dir(workspace::root())
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn types(options: &[&str]) -> Result<ExitCode> {
    // Criterion's own report is written to the log; the table is printed last.
    let measured = peers::cargo(&["bench", "--bench", "messages", "--"], options)?;
    if measured != ExitCode::SUCCESS {
        return Ok(measured);
    }
    let picture = picture("types");
    let picture = picture.to_str().context("a path that is no text")?;
    for arguments in [&["--", "table", picture][..], &["--", "every"]] {
        let printed = peers::cargo(&["run", "--quiet", "--release"], arguments)?;
        if printed != ExitCode::SUCCESS {
            return Ok(printed);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A missed target is not a failure: machines differ, and most of them are busy with other work.
fn load(what: &str, programs: &[&'static str], options: &[&str]) -> Result<ExitCode> {
    let packages: Vec<_> = programs
        .iter()
        .map(|name| peers::Package::new(name))
        .collect();
    let folder = peers::build(&packages, peers::Profile::Release)?;
    let folder = folder.to_str().context("a path that is no text")?;
    let load = ["run", "--quiet", "--release", "--package", "load", "--"];
    let picture = picture(what);
    let picture = picture.to_str().context("a path that is no text")?;
    peers::cargo(&[&load[..], &[folder, what, picture]].concat(), options)
}

fn picture(what: &str) -> PathBuf {
    let folder = workspace::root().join("docs/images");
    folder.join(format!("bench-{what}.svg"))
}
