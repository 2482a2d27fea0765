//! Other processes: how they are run, and what a command returns.

use std::net::TcpListener;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result, ensure};

/// Returns the exit code of a command: 1 if a check failed, and 2 after an error, which is printed.
#[must_use]
pub fn exit_code(outcome: Result<bool>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs a command, which shows its output. Returns `true` if it succeeds.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    Ok(command
        .status()
        .with_context(|| cannot_run(command))?
        .success())
}

/// Runs a command like [`succeeds`], and returns an error if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    ensure!(succeeds(command)?, "{command:?} failed");
    Ok(())
}

/// Returns `true` if a command can be run and succeeds. Its output is not shown.
#[must_use]
pub fn succeeds_quietly(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns the standard output of a command, which has to succeed. Its errors are a part of ours,
/// unless the command shows them.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| cannot_run(command))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let errors = errors.trim_end();
    ensure!(output.status.success(), "{command:?} failed\n{errors}");
    String::from_utf8(output.stdout).with_context(|| format!("the output of {command:?}"))
}

fn cannot_run(command: &Command) -> String {
    format!("cannot run {}", command.get_program().display())
}

/// Prints that something is skipped, if a reason is given, and returns `true`. If `CI` is set,
/// nothing may be skipped.
pub fn is_skipped(why: Option<&str>) -> Result<bool> {
    let Some(why) = why else { return Ok(false) };
    ensure!(std::env::var_os("CI").is_none(), "{why}, and CI is set");
    println!("skipped: {why}");
    Ok(true)
}

/// Sends a signal to a process, or to a process group: `-` and its number. Returns `true` if it
/// exists.
#[expect(
    clippy::must_use_candidate,
    reason = "a process that has ended needs no signal"
)]
pub fn signal(name: &str, target: &str) -> bool {
    succeeds_quietly(Command::new("kill").args([&format!("-{name}"), "--", target]))
}

/// Returns a port that is free now, at all addresses, and so probably still is when it is used: it is not one of
/// those that systems give to connections and to listeners without a port, and no other call returns it. Each
/// process begins elsewhere.
pub fn free_port() -> Result<u16> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(101);
    let ports = std::iter::repeat_with(|| {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        20_000 + u16::try_from(start.wrapping_add(call) % 10_000).unwrap_or_default()
    });
    let mut ports = ports.take(10_000);
    let free = ports.find(|port| TcpListener::bind(("0.0.0.0", *port)).is_ok());
    free.context("no free port")
}
