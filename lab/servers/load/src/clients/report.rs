//! Runs a client as a process, and parses its report.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::case::Case;
use crate::sample::number;
use crate::server::watch;

/// The report of one measurement.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Report {
    calls: u64,
    pub(super) errors: u64,
    progress: u64,
    seconds: f64,
    cpu_seconds: f64,
    /// The median latency, if one call is in flight at a time.
    p50_seconds: Option<f64>,
    /// The 99th percentile of the latencies.
    p99_seconds: Option<f64>,
    peak_bytes: u64,
}

impl Report {
    /// Calls per second.
    pub(super) fn rate(&self) -> f64 {
        number(self.calls) / self.seconds
    }

    /// Microseconds of processor time per call.
    pub(super) fn cost(&self) -> f64 {
        self.cpu_seconds * 1e6 / number(self.calls.max(1))
    }

    /// Median latency in microseconds.
    pub(super) fn p50(&self) -> f64 {
        self.p50_seconds.unwrap_or(f64::NAN) * 1e6
    }

    /// 99th percentile of the latency in microseconds.
    pub(super) fn p99(&self) -> f64 {
        self.p99_seconds.unwrap_or(f64::NAN) * 1e6
    }

    /// Peak memory in mebibytes.
    pub(super) fn peak(&self) -> f64 {
        number(self.peak_bytes >> 10) / 1024.0
    }
}

/// How a client reaches the server.
pub(super) enum Target {
    Url(String),
    /// The client starts it.
    Command(Command),
}

/// Lets a client make calls for some time.
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
        // The last notifications may belong to calls that ended before.
        let missing = report.calls.saturating_sub(report.progress);
        ensure!(
            missing <= width as u64,
            "{missing} of {} calls heard of no progress",
            report.calls
        );
    }
    Ok(report)
}
