//! Processes on Windows, in a job of their own. The system ends the job when this process ends, also after a
//! crash.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::mem;
use std::path::{Path, PathBuf};
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
    pub(super) fn terminate(&self) -> bool {
        false
    }

    /// Ends the processes that the first one has left.
    pub(super) async fn end_others(&mut self, _: Duration) {
        self.kill();
    }

    /// Kills the job.
    pub(super) fn kill(&mut self) {
        // Fails if no process is left.
        let _ = self.child.start_kill();
    }
}

/// Finds a program as a command prompt does.
#[derive(Debug, Default)]
pub(in super::super) struct ProgramSearch {
    /// The process gets no variables of this one, which a command does not tell.
    pub(in super::super) is_environment_clear: bool,
}

impl ProgramSearch {
    /// Returns the same command with the path of its program, which is found by the extensions in `PATHEXT`:
    /// `npx` is `npx.cmd`. Without a path, the working directory is not searched.
    ///
    /// The standard library passes arguments to `.cmd` and `.bat` files so that they are not interpreted, and
    /// refuses those for which this is impossible.
    pub(in super::super) fn found(&self, command: &std::process::Command) -> io::Result<Command> {
        let mut found = Command::new(find(command.get_program().as_ref(), search_path(command))?);
        found.args(command.get_args());
        if self.is_environment_clear {
            found.env_clear();
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => found.env(name, value),
                None => found.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            found.current_dir(folder);
        }
        Ok(found)
    }
}

/// Returns the value of `PATH` that the process gets.
fn search_path(command: &std::process::Command) -> Option<OsString> {
    let mut set = command.get_envs();
    let own = set.find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    own.map_or_else(|| env::var_os("PATH"), |(_, value)| value.map(Into::into))
}

fn find(program: &Path, path: Option<OsString>) -> io::Result<PathBuf> {
    let is_name = program.components().count() == 1 && !program.is_absolute();
    let found = if is_name {
        which::which_in_global(program, path).map(|mut found| found.next())
    } else {
        let folder = env::current_dir()?;
        which::which_in(program, path, folder).map(Some)
    };
    found.ok().flatten().ok_or_else(|| {
        let extensions = env::var("PATHEXT").unwrap_or_default();
        let place = if is_name {
            " in the folders of PATH"
        } else {
            ""
        };
        let text = format!("program not found{place}, also with the extensions {extensions}");
        io::Error::new(ErrorKind::NotFound, text)
    })
}
