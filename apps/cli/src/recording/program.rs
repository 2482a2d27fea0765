//! The process of a recorded or replayed server.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitStatus;

use mcp_client::{find_program, is_batch_file};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::args::Options;

/// A process. On Windows those that it starts end with it, also when this program is killed.
#[cfg(not(windows))]
pub(super) type ServerProcess = tokio::process::Child;
#[cfg(windows)]
pub(super) type ServerProcess = Box<dyn process_wrap::tokio::ChildWrapper>;

/// The pipes to a process, as far as they were asked for.
pub(super) type ServerPipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

/// Returns the command of a program with its arguments; `None` without a program.
///
/// # Errors
///
/// The program was not found.
pub(super) fn command(program: &[OsString], options: &Options) -> io::Result<Option<Command>> {
    let Some((name, arguments)) = program.split_first() else {
        return Ok(None);
    };
    let with_settings = |program: &OsStr| {
        let mut command = std::process::Command::new(program);
        command.args(arguments);
        command.envs(options.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &options.cwd {
            command.current_dir(folder);
        }
        command
    };
    let path = find_program(&with_settings(name))?;
    let mut command = with_settings(path.as_os_str());
    if is_batch_file(&path) {
        // See `find_program`.
        command.env("NoDefaultCurrentDirectoryInExePath", "1");
    }
    Ok(Some(command.into()))
}

/// Starts a process.
pub(super) fn spawn(command: Command) -> io::Result<ServerProcess> {
    #[cfg(not(windows))]
    let process = {
        let mut command = command;
        command.kill_on_drop(true).spawn()
    };
    #[cfg(windows)]
    let process = {
        use process_wrap::tokio::{CommandWrap, JobObject, KillOnDrop};
        CommandWrap::from(command)
            .wrap(KillOnDrop)
            .wrap(JobObject)
            .spawn()
    };
    process
}

/// Takes the pipes to a process.
pub(super) fn pipes(process: &mut ServerProcess) -> ServerPipes {
    #[cfg(not(windows))]
    let (stdin, stdout, stderr) = (&mut process.stdin, &mut process.stdout, &mut process.stderr);
    #[cfg(not(windows))]
    let pipes = (stdin.take(), stdout.take(), stderr.take());
    #[cfg(windows)]
    let pipes = {
        let (stdin, stdout) = (process.stdin().take(), process.stdout().take());
        (stdin, stdout, process.stderr().take())
    };
    pipes
}

/// Waits until a process has ended, but not for those that it has started.
pub(super) async fn wait(process: &mut ServerProcess) -> io::Result<ExitStatus> {
    #[cfg(windows)]
    let process = process.inner_mut();
    process.wait().await
}
