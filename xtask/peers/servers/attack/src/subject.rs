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

/// What stands before the URL in the first line that a server prints.
const LISTENING: &str = "listening on ";

/// A server that can be attacked.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The tool that the good clients call.
    pub(crate) tool: Tool,
    pub(crate) origin: Origin,
}

/// Where a server comes from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// It is started anew for each attack.
    Program {
        program: PathBuf,
        arguments: Vec<String>,
        workers: usize,
    },
    /// It runs already.
    Url {
        address: SocketAddrV4,
        path: String,
        pid: Option<u32>,
    },
}

/// A running server. One that was started here ends with this value.
#[derive(Debug)]
pub(crate) struct Running {
    child: Option<Child>,
    pub(crate) address: SocketAddrV4,
    pub(crate) path: String,
    /// Text form, as in `/proc`.
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
                // Ends the process if something below fails.
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
                // The server must never wait for somebody to read its output.
                thread::spawn(move || lines.for_each(drop));
                Ok(running)
            }
        }
    }
}

impl Running {
    /// Bytes of the server in memory now, as far as its process is known.
    pub(crate) fn memory(&self) -> Option<u64> {
        process::memory(self.pid.as_deref()?).ok()
    }

    /// The most bytes that the server ever had in memory, if the process was started here.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        self.child.as_ref()?;
        process::peak_memory(self.pid.as_deref()?).ok()
    }

    /// Fails if the process has ended.
    pub(crate) fn check_alive(&mut self) -> Result<()> {
        if let Some(child) = &mut self.child
            && let Some(status) = child.try_wait()?
        {
            bail!("the server ended: {status}");
        }
        Ok(())
    }

    /// Whether the process was started here, and no other attack has left traces in it.
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
