//! The example `files` as a child process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// How long to wait for the next message before the missing ones count as lost.
const PATIENCE: Duration = Duration::from_secs(30);

/// The example on its standard streams. It is killed when this value is dropped.
pub(super) struct Server {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(String, Instant)>,
}

impl Server {
    pub(super) fn start(program: &Path, root: &Path, options: &[&str]) -> Result<Self> {
        let mut child = Command::new(program)
            .arg(root)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let stdin = child.stdin.take().context("no standard input")?;
        let stdout = child.stdout.take().context("no standard output")?;
        let (sender, lines) = mpsc::channel();
        // The thread ends with the process.
        thread::spawn(move || {
            for line in BufReader::with_capacity(1 << 20, stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send((line, Instant::now())).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            child,
            stdin,
            lines,
        })
    }

    pub(super) fn send(&mut self, id: &str, method: &str, params: &Value) -> Result<()> {
        let request = request(id, method, params);
        writeln!(self.stdin, "{request}").context("the server is gone")
    }

    pub(super) fn line(&mut self) -> Result<(String, Instant)> {
        self.lines
            .recv_timeout(PATIENCE)
            .context("the server does not answer")
    }

    /// Returns the next message, or `None` after a timeout.
    pub(super) fn message(&mut self) -> Result<Option<(Value, Instant)>> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok((line, at)) => Ok(Some((serde_json::from_str(&line)?, at))),
            Err(_) => Ok(None),
        }
    }

    pub(super) fn ask(&mut self, id: &str, method: &str, params: &Value) -> Result<()> {
        self.send(id, method, params)?;
        let (line, _) = self.line()?;
        ensure!(line.contains("\"result\""), "{line}");
        Ok(())
    }

    /// Returns the memory of the process in MB, and 0 on other systems than Linux.
    pub(super) fn memory(&self) -> u64 {
        system::memory(&self.child.id().to_string()).map_or(0, |bytes| bytes / 1_000_000)
    }

    /// Returns the peak of the memory, like [`memory`](Self::memory).
    pub(super) fn peak_memory(&self) -> u64 {
        system::peak_memory(&self.child.id().to_string()).map_or(0, |bytes| bytes / 1_000_000)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a request of the newest revision.
pub(super) fn request(id: &str, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "experimental": {
            "sep-2093": {}, "versioned-resources": {},
        } },
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}
