//! [`Running`]: a server of another project.

use std::fs::File;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// The timeout for a server to listen.
const START: Duration = Duration::from_secs(60);

/// A listening server. It is killed when this value is dropped.
pub(super) struct Running {
    child: Child,
    port: u16,
}

impl Running {
    /// Starts a program in a folder, with its output in a log, and waits until it listens at a
    /// port.
    pub(super) fn start(
        command: &[String],
        environment: &[(&str, String)],
        folder: &Path,
        log: &File,
        port: u16,
    ) -> Result<Self> {
        let [program, arguments @ ..] = command else {
            bail!("no command");
        };
        let child = Command::new(program)
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot run {program}"))?;
        let mut running = Self { child, port };
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = running.child.try_wait()? {
                bail!("{} ended: {status}", command.join(" "));
            }
            if start.elapsed() > START {
                bail!("{} does not listen", command.join(" "));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(running)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
