//! Other processes: how they are run, and their memory and processor time as Linux reports them.

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

/// The unit of the times in `/proc/PID/stat`, which is the same on all architectures.
const TICKS_PER_SECOND: f64 = 100.0;

/// Reads a value of memory in KiB, such as `VmRSS:`. Returns 0 on other systems, or if the process
/// has ended.
pub(crate) fn memory(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits.and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// Returns the processor time that a process has used. Zero on other systems, or if the process has
/// ended.
pub(crate) fn processor_time(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may contain spaces.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let times = fields.split(' ').skip(11).take(2);
    let ticks: f64 = times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    Duration::from_secs_f64(ticks / TICKS_PER_SECOND)
}

/// Runs a command, which shows its output. Returns `true` if it succeeds.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool> {
    Ok(command
        .status()
        .with_context(|| cannot_run(command))?
        .success())
}

/// Runs a command like [`succeeds`], and returns an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    ensure!(succeeds(command)?, "{command:?} failed");
    Ok(())
}

/// Returns `true` if a command can be run and succeeds. Its output is not shown.
pub(crate) fn succeeds_quietly(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns the standard output of a command, which has to succeed. Its errors are a part of ours,
/// unless the command shows them.
pub(crate) fn output(command: &mut Command) -> Result<String> {
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
pub(crate) fn is_skipped(why: Option<&str>) -> Result<bool> {
    let Some(why) = why else { return Ok(false) };
    ensure!(std::env::var_os("CI").is_none(), "{why}, and CI is set");
    println!("skipped: {why}");
    Ok(true)
}

/// Sends a signal to a process, or to a process group: `-` and its number. Returns `true` if it
/// exists.
pub(crate) fn signal(name: &str, target: &str) -> bool {
    succeeds_quietly(Command::new("kill").args([&format!("-{name}"), "--", target]))
}

/// Returns a port that is free now, at all addresses, and so probably still is when it is used.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("0.0.0.0:0").context("no free port")?;
    Ok(listener.local_addr()?.port())
}
