//! Starts commands whose programs are in the workspace `lab`, which no other build contains.

use std::ffi::OsString;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::workspace;

/// The arguments of a command of the lab, which its program reads, with the option `--help`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    all: Vec<OsString>,
}

/// The program of `cargo xtask corpus`, which needs the generator.
pub(crate) const CORPUS: &str = "--package corpus";
/// The program of the other commands.
pub(crate) const RUNNER: &str = "--package runner";
/// The same program with `interop` but without benchmarks, which take longer to compile.
pub(crate) const INTEROP: &str = "--package runner --no-default-features";

/// Builds and runs a program of the lab with the name of a command and its arguments. Returns `true`
/// if it succeeds. Ends this program with the exit code of the other one if that cannot read its
/// arguments.
pub(crate) fn run(program: &str, command: &[&str], arguments: &Arguments) -> Result<bool> {
    let mut cargo = workspace::cargo();
    cargo.args(["run", "--quiet"]).args(program.split(' '));
    cargo.arg("--").args(command).args(&arguments.all);
    let own = std::env::current_exe().context("this program has no path")?;
    cargo.env(workspace::PROGRAM_VARIABLE, own);
    let status = cargo.current_dir(workspace::root().join("lab")).status();
    let status = status.context("cannot run cargo")?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        code => std::process::exit(code.unwrap_or(2)),
    }
}
