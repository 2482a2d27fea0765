//! Processes on Windows, in a job of their own. The system ends the job when this process ends, also after a
//! crash.

use std::io;
use std::mem;
use std::process::ExitStatus;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

/// A process with its job.
pub(super) struct Job {
    child: Box<dyn ChildWrapper>,
}

impl Job {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let own = mem::replace(command, Command::new(""));
        let mut wrapped = CommandWrap::from(own);
        wrapped
            // Ctrl-C in the console of the client does not reach the server, and a client without a console
            // opens no window.
            .wrap(CreationFlags(CREATE_NO_WINDOW))
            .wrap(KillOnDrop)
            .wrap(JobObject);
        let child = wrapped.spawn();
        *command = wrapped.into_command();
        Ok(Self { child: child? })
    }

    pub(super) fn pipes(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let stdin = self.child.stdin().take();
        let stdout = self.child.stdout().take();
        (stdin, stdout, self.child.stderr().take())
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        // The job would wait for all processes.
        self.child.inner_mut().wait().await
    }

    /// There is no signal that all programs understand.
    #[expect(clippy::unused_self, reason = "process groups need it")]
    pub(super) fn terminate(&self) -> bool {
        false
    }

    /// Ends the processes that the first one has left.
    #[expect(clippy::unused_async, reason = "process groups wait")]
    pub(super) async fn end_others(&mut self, _: Duration) {
        self.kill();
    }

    /// Kills the job.
    pub(super) fn kill(&mut self) {
        // Fails if no process is left.
        let _ = self.child.start_kill();
    }
}
