//! A server process, and its resource usage as reported by the operating system.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::case::{Candidate, Case, Form};
use crate::pinning::Pinning;
use crate::sample::Memory;

/// Longer than any continuous measurement of a server.
const KILL_AFTER: Duration = Duration::from_secs(120);

/// How to reach a server.
pub(crate) enum Connection {
    Address(SocketAddr),
    Pipes(ChildStdin, ChildStdout),
}

/// Starts a server.
pub(crate) fn start(
    folder: &Path,
    case: Case,
    candidate: Candidate,
    pinning: &Pinning,
) -> Result<(Process, Connection)> {
    let (name, arguments) = case.command(candidate);
    let mut command = pinning.server(&folder.join(name));
    command.args(arguments);
    if case.form != Form::Line {
        let (process, address) = Process::listening(command)?;
        return Ok((process, Connection::Address(address)));
    }
    let (process, stdin, stdout) = Process::start(command)?;
    Ok((process, Connection::Pipes(stdin, stdout)))
}

/// A process that is killed when this value is dropped.
pub(crate) struct Process {
    child: Child,
    idle: u64,
    _watched: Sender<()>,
}

/// Kills a process that is still running after [`KILL_AFTER`], because otherwise a missing response
/// would block forever. Dropping the returned value stops the timer.
pub(crate) fn watch(process: u32) -> Sender<()> {
    let (watched, end) = channel();
    thread::spawn(move || {
        if end.recv_timeout(KILL_AFTER) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").arg(process.to_string()).status();
        }
    });
    watched
}

impl Process {
    fn start(mut command: Command) -> Result<(Self, ChildStdin, ChildStdout)> {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let mut process = Self {
            _watched: watch(child.id()),
            child,
            idle: 0,
        };
        let stdin = process.child.stdin.take().context("no input")?;
        let stdout = process.child.stdout.take().context("no output")?;
        Ok((process, stdin, stdout))
    }

    /// Starts a server that prints its address in the first line.
    pub(crate) fn listening(command: Command) -> Result<(Self, SocketAddr)> {
        let words = format!("{command:?}");
        let (process, _, stdout) = Self::start(command)?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.trim().parse();
        let address = address.with_context(|| format!("{words} has no address"))?;
        Ok((process, address))
    }

    /// Records the resource usage before any load.
    pub(crate) fn record_idle(&mut self) -> Result<()> {
        self.idle = process::memory(&self.id())?;
        Ok(())
    }

    pub(crate) fn memory(&self) -> Result<Memory> {
        Ok(Memory {
            idle: self.idle,
            peak: process::peak_memory(&self.id())?,
        })
    }

    /// Returns the processor time used so far.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        Ok(process::cpu(&self.id())?)
    }

    fn id(&self) -> String {
        self.child.id().to_string()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
