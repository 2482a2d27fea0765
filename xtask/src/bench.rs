//! `cargo xtask bench`.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask bench types [--quick]

  Decodes and encodes the same messages with mcp-types, with serde_json::Value and with the types
  of other crates, and prints times and ratios. `--quick` measures for a short time only.";

/// What criterion is told for a short measurement.
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
    let options: &[&str] = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["types"] => &[],
        ["types", "--quick"] => &QUICK,
        _ => bail!("{USAGE}"),
    };
    // Criterion's own report goes to the log; the table comes last.
    let measured = peers(&["bench", "--bench", "messages", "--"], options)?;
    if measured == ExitCode::SUCCESS {
        peers(&["run", "--quiet", "--release"], &[])
    } else {
        Ok(measured)
    }
}

/// Runs cargo in the workspace of the peers, which nothing else ever builds.
fn peers(command: &[&str], options: &[&str]) -> Result<ExitCode> {
    let status = Command::new(workspace::cargo())
        .args(command)
        .args(options)
        .current_dir(workspace::root().join("xtask/peers"))
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
