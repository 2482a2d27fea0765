//! The servers that are attacked.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::good::Tool;
use crate::options::loopback;

/// The text before the URL in the first line that a server prints.
const LISTENING: &str = "listening on ";

/// A server that can be attacked.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The tool that the good clients call.
    pub(crate) tool: Tool,
    pub(crate) origin: Origin,
    /// The issuer of the access tokens that the server requires.
    pub(crate) issuer: Option<String>,
    /// `true` if it has revisions with sessions. Otherwise, good clients use the newest one only.
    pub(crate) has_sessions: bool,
}

/// The origin of a server.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A program that is started anew for each attack.
    Program {
        program: PathBuf,
        arguments: Vec<String>,
        workers: usize,
    },
    /// A server that is already running.
    Url {
        address: SocketAddrV4,
        path: String,
        pid: Option<u32>,
    },
}

/// A running server. If it was started here, it is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Option<Child>,
    pub(crate) address: SocketAddrV4,
    pub(crate) path: String,
    /// The process id as text, as in `/proc`.
    pub(crate) pid: Option<String>,
}

impl Subject {
    pub(crate) fn start(&self) -> Result<Running> {
        match &self.origin {
            Origin::Url { address, path, pid } => Ok(Running {
                child: None,
                address: *address,
                path: path.clone(),
                pid: pid.map(|pid| pid.to_string()),
            }),
            Origin::Program {
                program,
                arguments,
                workers,
            } => {
                let mut child = Command::new(program)
                    .args(arguments)
                    .env("TOKIO_WORKER_THREADS", workers.to_string())
                    .env_remove("RUST_LOG")
                    .stdin(Stdio::null())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .with_context(|| format!("cannot run {}", program.display()))?;
                let pid = child.id().to_string();
                let stdout = child.stdout.take();
                // Kills the process if something below fails.
                let mut running = Running {
                    child: Some(child),
                    address: SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, 0),
                    path: String::new(),
                    pid: Some(pid),
                };
                let mut lines = BufReader::new(stdout.context("no standard output")?).lines();
                let line = lines.next().context("the server printed nothing")??;
                let url = line.strip_prefix(LISTENING);
                let url = url.with_context(|| format!("the server printed `{line}`"))?;
                (running.address, running.path) = loopback(url.trim())?;
                // The output is always read, so that the server never blocks on it.
                thread::spawn(move || lines.for_each(drop));
                Ok(running)
            }
        }
    }
}

impl Running {
    /// Returns the resident memory of the server in bytes, if its process is known.
    pub(crate) fn memory(&self) -> Option<u64> {
        process::memory(self.pid.as_deref()?).ok()
    }

    /// Returns the peak of the server's resident memory in bytes, if the process was started here.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        self.child.as_ref()?;
        process::peak_memory(self.pid.as_deref()?).ok()
    }

    /// Returns an error if the process has ended.
    pub(crate) fn check_alive(&mut self) -> Result<()> {
        if let Some(child) = &mut self.child
            && let Some(status) = child.try_wait()?
        {
            bail!("the server ended: {status}");
        }
        Ok(())
    }

    /// Returns `true` if the process was started here and has not been attacked yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.child.is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
            // Lets the kernel close the connections of the process before the next one starts.
            thread::sleep(Duration::from_millis(20));
        }
    }
}
