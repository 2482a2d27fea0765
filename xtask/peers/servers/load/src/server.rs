//! A server as a process, and what the system knows of it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::case::{Case, Form, Who};
use crate::pinning::Pinning;
use crate::sample::Memory;

/// Longer than a server is measured for in a row.
const LIFE: Duration = Duration::from_secs(120);

/// How to reach a server.
pub(crate) enum Way {
    Address(SocketAddr),
    Pipes(ChildStdin, ChildStdout),
}

/// Starts a server.
pub(crate) fn start(
    folder: &Path,
    case: Case,
    who: Who,
    pinning: &Pinning,
) -> Result<(Process, Way)> {
    let (name, arguments) = case.command(who);
    let child = pinning
        .server(&folder.join(name))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let mut process = Process {
        _watched: watch(child.id()),
        child,
        idle: 0,
    };
    let stdin = process.child.stdin.take().context("no input")?;
    let stdout = process.child.stdout.take().context("no output")?;
    if case.form == Form::Line {
        return Ok((process, Way::Pipes(stdin, stdout)));
    }
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let address = line.trim().parse();
    let address = address.with_context(|| format!("{name} has no address"))?;
    Ok((process, Way::Address(address)))
}

/// A process that ends with this value.
pub(crate) struct Process {
    child: Child,
    idle: u64,
    _watched: Sender<()>,
}

/// Ends a process that is still there after [`LIFE`], since nothing else would end waiting for an
/// answer that does not come. Dropping what is returned ends the watch.
pub(crate) fn watch(process: u32) -> Sender<()> {
    let (watched, end) = channel();
    thread::spawn(move || {
        if end.recv_timeout(LIFE) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").arg(process.to_string()).status();
        }
    });
    watched
}

impl Process {
    /// Notes what it uses now, before any load.
    pub(crate) fn rests(&mut self) -> Result<()> {
        self.idle = process::memory(&self.id())?;
        Ok(())
    }

    pub(crate) fn memory(&self) -> Result<Memory> {
        Ok(Memory {
            idle: self.idle,
            peak: process::peak_memory(&self.id())?,
        })
    }

    /// What it has used of its processor so far.
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
