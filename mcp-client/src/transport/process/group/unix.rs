//! Processes on Unix, in a process group of their own.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// How often to check whether processes of the group are left.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A process with its group.
pub(super) struct ProcessGroup {
    child: Child,
    /// Absent once the whole group has ended.
    id: Option<Pid>,
}

impl ProcessGroup {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw);
        Ok(Self { child, id })
    }

    pub(super) fn pipes(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Sends `SIGTERM` to the group. Returns `false` if that is not possible.
    pub(super) fn terminate(&self) -> bool {
        self.id
            .is_some_and(|id| kill_process_group(id, Signal::TERM).is_ok())
    }

    /// Ends the processes that the first one has left.
    pub(super) async fn end_others(&mut self, grace: Duration) {
        let Some(id) = self.id else { return };
        let ended = async {
            while test_kill_process_group(id).is_ok() {
                sleep(POLL_INTERVAL).await;
            }
        };
        if self.terminate() && timeout(grace, ended).await.is_err() {
            self.kill();
        }
        self.id = None;
    }

    /// Kills the group.
    pub(super) fn kill(&mut self) {
        if let Some(id) = self.id.take() {
            // Fails if no process is left.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}
