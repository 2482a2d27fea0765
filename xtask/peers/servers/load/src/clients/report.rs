//! A client as a process, and what it says at its end.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::case::Case;
use crate::sample::number;
use crate::server::watch;

/// What one measurement says.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Report {
    calls: u64,
    pub(super) errors: u64,
    progress: u64,
    seconds: f64,
    cpu_seconds: f64,
    /// The time of the median call, where one is under way at a time.
    p50_seconds: Option<f64>,
    /// Of the slowest one but for a hundredth.
    p99_seconds: Option<f64>,
    peak_bytes: u64,
}

impl Report {
    /// Calls a second.
    pub(super) fn rate(&self) -> f64 {
        number(self.calls) / self.seconds
    }

    /// Microseconds of a processor for a call.
    pub(super) fn cost(&self) -> f64 {
        self.cpu_seconds * 1e6 / number(self.calls.max(1))
    }

    /// Microseconds.
    pub(super) fn p50(&self) -> f64 {
        self.p50_seconds.unwrap_or(f64::NAN) * 1e6
    }

    /// Microseconds.
    pub(super) fn p99(&self) -> f64 {
        self.p99_seconds.unwrap_or(f64::NAN) * 1e6
    }

    /// Mebibytes.
    pub(super) fn peak(&self) -> f64 {
        number(self.peak_bytes >> 10) / 1024.0
    }
}

/// Where a client finds the server.
pub(super) enum Target {
    Url(String),
    /// The client starts it.
    Command(Command),
}

/// Has a client call for a while.
pub(super) fn measure(
    program: &Path,
    case: Case,
    width: usize,
    time: Duration,
    target: &Target,
) -> Result<Report> {
    let mut command = Command::new(program);
    command.args([case.era.revision(), case.tool(), &width.to_string()]);
    command.arg(time.as_millis().to_string());
    match target {
        Target::Url(url) => command.args(["http", url]),
        Target::Command(server) => command
            .args([OsStr::new("stdio"), server.get_program()])
            .args(server.get_args()),
    };
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let _watched = watch(child.id());
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", output.status);
    let report: Report = serde_json::from_slice(&output.stdout)?;
    if case.events() {
        // What is heard last may be of calls that ended before.
        let missing = report.calls.saturating_sub(report.progress);
        ensure!(
            missing <= width as u64,
            "{missing} of {} calls heard of no progress",
            report.calls
        );
    }
    Ok(report)
}
