//! [`Group`]: a process with all that it started.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::Child;
#[cfg(unix)]
use tokio::time::sleep;
use tokio::time::{Instant, timeout};

/// How often it is looked whether there is anything left of a group whose first process ended.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(10);

/// A process, on Unix with the group that it leads. Dropped, all of it is killed.
pub(super) struct Group {
    child: Child,
    /// Until nothing is left of it.
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

    /// Ends what has no input any more: waits for a grace time since `begun`, asks for the end and
    /// forces it, each for a grace time. Says how the first process ended, and whether it had to be asked.
    pub(super) async fn end(
        &mut self,
        begun: Instant,
        grace: Duration,
    ) -> (io::Result<ExitStatus>, bool) {
        let rest = grace.saturating_sub(begun.elapsed());
        if let Ok(status) = timeout(rest, self.wait()).await {
            self.end_others(grace).await;
            return (status, false);
        }
        if self.ask()
            && let Ok(status) = timeout(grace, self.wait()).await
        {
            self.end_others(grace).await;
            return (status, true);
        }
        self.kill();
        let status = timeout(grace, self.wait()).await;
        let status = status.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        (status, true)
    }

    /// Asks all of the group to end; `false` where there is no such thing.
    #[cfg(unix)]
    fn ask(&self) -> bool {
        self.id
            .is_some_and(|id| kill_process_group(id, Signal::TERM).is_ok())
    }

    #[cfg(not(unix))]
    fn ask(&self) -> bool {
        false
    }

    /// Ends what the first process left behind.
    #[cfg(unix)]
    async fn end_others(&mut self, grace: Duration) {
        let Some(id) = self.id else { return };
        let gone = async {
            while test_kill_process_group(id).is_ok() {
                sleep(LOOK).await;
            }
        };
        if self.ask() && timeout(grace, gone).await.is_err() {
            self.kill();
        }
        self.id = None;
    }

    #[cfg(not(unix))]
    async fn end_others(&mut self, _: Duration) {}

    /// Kills all of the group.
    #[cfg(unix)]
    fn kill(&mut self) {
        if let Some(id) = self.id.take() {
            // Where there is nothing left to kill, all is well.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        // It ended by itself.
        let _ = self.child.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
