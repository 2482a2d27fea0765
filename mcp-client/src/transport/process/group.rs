//! [`Group`]: a process and the processes that it started.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};

#[cfg(unix)]
use self::unix::ProcessGroup as Tree;
#[cfg(windows)]
use self::windows::Job as Tree;
use super::stderr::Stderr;

/// A process with those that it starts: its process group on Unix, its job on Windows. Dropping this kills
/// all of them.
pub(super) struct Group {
    tree: Tree,
}

impl Group {
    /// Starts a process with pipes for its standard input and output.
    pub(super) fn start(command: &mut Command, stderr: &Stderr) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.stdio());
        let tree = Tree::start(command)?;
        Ok(Self { tree })
    }

    /// Takes the pipes to the process. That of the standard error is present if it is captured.
    pub(super) fn pipes(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        self.tree.pipes()
    }

    /// Waits until the first process has ended.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.tree.wait().await
    }

    /// Ends the group after its input was closed at `start`: waits, then terminates it, then kills
    /// it, each for a grace time. Returns the exit status of the first process, and whether it had
    /// to be terminated.
    pub(super) async fn end(
        &mut self,
        start: Instant,
        grace: Duration,
    ) -> (io::Result<ExitStatus>, bool) {
        let rest = grace.saturating_sub(start.elapsed());
        if let Ok(status) = timeout(rest, self.wait()).await {
            self.tree.end_others(grace).await;
            return (status, false);
        }
        if self.tree.terminate()
            && let Ok(status) = timeout(grace, self.wait()).await
        {
            self.tree.end_others(grace).await;
            return (status, true);
        }
        self.tree.kill();
        let status = timeout(grace, self.wait())
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        (status, true)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.tree.kill();
    }
}
