//! [`Group`]: a process and the processes that it started.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::Child;
#[cfg(unix)]
use tokio::time::sleep;
use tokio::time::{Instant, timeout};

/// How often to check whether processes of the group are left.
#[cfg(unix)]
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A process, on Unix with its process group. Dropping this kills all of it.
pub(super) struct Group {
    child: Child,
    /// Absent once the whole group has ended.
    #[cfg(unix)]
    id: Option<Pid>,
}

impl Group {
    pub(super) fn new(child: Child) -> Self {
        Self {
            #[cfg(unix)]
            id: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw),
            child,
        }
    }

    /// Waits until the first process has ended.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
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
            self.end_others(grace).await;
            return (status, false);
        }
        if self.terminate()
            && let Ok(status) = timeout(grace, self.wait()).await
        {
            self.end_others(grace).await;
            return (status, true);
        }
        self.kill();
        let status = timeout(grace, self.wait())
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        (status, true)
    }

    /// Sends `SIGTERM` to the group. Returns `false` if that is not possible.
    #[cfg(unix)]
    fn terminate(&self) -> bool {
        self.id
            .is_some_and(|id| kill_process_group(id, Signal::TERM).is_ok())
    }

    #[cfg(not(unix))]
    fn terminate(&self) -> bool {
        false
    }

    /// Ends the processes that the first one has left.
    #[cfg(unix)]
    async fn end_others(&mut self, grace: Duration) {
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

    #[cfg(not(unix))]
    async fn end_others(&mut self, _: Duration) {}

    /// Kills the group.
    #[cfg(unix)]
    fn kill(&mut self) {
        if let Some(id) = self.id.take() {
            // Fails if no process is left.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        // Fails if the process has exited.
        let _ = self.child.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
