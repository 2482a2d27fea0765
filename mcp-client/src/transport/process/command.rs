//! [`ChildProcess`]: how a server process is started.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::group::Group;
use super::restart::Restart;
#[cfg(windows)]
use super::search::{find_program, is_batch_file};
use super::stderr::Stderr;
use crate::protocol::error::TransportError;

/// The default grace time of a process.
const GRACE: Duration = Duration::from_secs(2);

/// A server that is started as a child process and ends with the client. Messages go over its
/// standard input and output, one per line, as the page on stdio of the specification describes.
///
/// ```no_run
/// use mcp_client::{ChildProcess, Client};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
/// let client = Client::builder("demo", "1.0.0").connect(server).await?;
/// println!("{:?}", client.tools().all().await?.items);
/// client.close().await;
/// # Ok(())
/// # }
/// ```
///
/// The process inherits the environment and the working directory by default. On Unix it gets its
/// own process group, on Windows a job, so that Ctrl-C in the terminal of the client does
/// not interrupt the server, and so that the processes that it starts end with it. On Windows they also end
/// when the client crashes.
///
/// On Windows, arguments of `.cmd` and `.bat` files are passed so that the command processor does not interpret
/// them. Those that cannot be passed unchanged, such as ones with a line break, are refused with an error.
///
/// # Shutdown
///
/// [`Client::close`](crate::Client::close), and dropping the last clone of a client, close the
/// standard input of the process. If it does not exit within the [grace time](Self::grace), its
/// group receives `SIGTERM`, and after the same time `SIGKILL`. On Windows the
/// job is killed after the first grace time. If the runtime ends before that, it is killed at
/// once.
///
/// A process that exits unexpectedly ends the connection, unless [`restart`](Self::restart) is
/// configured. There is one exception: some servers of older revisions exit when they receive an
/// unknown request, such as the probe for their revision. A process that exits after it has read
/// the probe is restarted once, and the client begins with the handshake of older revisions, unless
/// the program pins a [revision](crate::ClientBuilder::revision). Only on Linux does the client
/// know whether the probe was read; elsewhere it assumes so.
pub struct ChildProcess {
    command: Command,
    #[cfg(windows)]
    search: ProgramSearch,
    pub(super) stderr: Stderr,
    pub(super) grace: Duration,
    pub(super) restart: Option<Restart>,
}

/// Whether the program still has to be found.
#[cfg(windows)]
#[derive(Default)]
struct ProgramSearch {
    is_pending: bool,
    /// The process gets no variables of this one, which a command does not tell.
    is_environment_clear: bool,
}

#[cfg(windows)]
impl ProgramSearch {
    /// Returns the same command with the path of its program.
    ///
    /// The standard library passes arguments to `.cmd` and `.bat` files so that they are not interpreted, and
    /// refuses those for which this is impossible.
    fn found(&self, command: &std::process::Command) -> io::Result<Command> {
        let program = find_program(command)?;
        let mut found = Command::new(&program);
        found.args(command.get_args());
        if self.is_environment_clear {
            found.env_clear();
        }
        if is_batch_file(&program) {
            // The command processor looks for programs in the working directory first without it.
            found.env("NoDefaultCurrentDirectoryInExePath", "1");
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

/// The variables that [`ChildProcess::env_essential`] keeps.
#[cfg(not(windows))]
const ESSENTIAL: &[&str] = &[
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ",
    "USER",
];
#[cfg(windows)]
const ESSENTIAL: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TZ",
    "USERNAME",
    "USERPROFILE",
];

impl ChildProcess {
    /// Creates a transport to a program: a path, or a name that is searched in `PATH`, on Windows also with the
    /// extensions of programs and batch files, so that `npx` finds `npx.cmd`. See
    /// [`find_program`](crate::find_program).
    #[must_use]
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let process = Self::from(std::process::Command::new(program));
        #[cfg(windows)]
        let process = Self {
            search: ProgramSearch {
                is_pending: true,
                ..ProgramSearch::default()
            },
            ..process
        };
        process
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable from the environment of the process.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Clears the environment of the process, because that of the client may contain secrets. Most
    /// programs need at least `PATH`: see [`env_essential`](Self::env_essential).
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.command.env_clear();
        #[cfg(windows)]
        {
            self.search.is_environment_clear = true;
        }
        self
    }

    /// Clears the environment of the process but for the variables that most programs need, as the
    /// official SDKs do: where programs and the user's files are, the terminal, the language and the
    /// time zone. Variables that were set before are lost.
    ///
    /// These are `HOME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR`,
    /// `TZ` and `USER`; on Windows `APPDATA`, `COMSPEC`, `HOME`, `HOMEDRIVE`, `HOMEPATH`, `LANG`,
    /// `LOCALAPPDATA`, `PATH`, `PATHEXT`, `PROCESSOR_ARCHITECTURE`, `PROGRAMDATA`, `PROGRAMFILES`,
    /// `SYSTEMDRIVE`, `SYSTEMROOT`, `TEMP`, `TERM`, `TMP`, `TZ`, `USERNAME` and `USERPROFILE`.
    #[must_use]
    pub fn env_essential(self) -> Self {
        let set = ESSENTIAL
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        set.fold(self.env_clear(), |process, (name, value)| {
            process.env(name, value)
        })
    }

    /// Sets the working directory of the process.
    #[must_use]
    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets what happens to the standard error of the process, instead of [`Stderr::Inherit`].
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// Sets the time in which the process has to exit before the next step of the shutdown, instead
    /// of 2 seconds.
    #[must_use]
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }

    /// Restarts the process when it exits unexpectedly. By default it is not restarted.
    ///
    /// Pending calls then fail with [`TransportError::Exited`]. Later calls wait until the new
    /// process is ready, each at most for its timeout.
    #[must_use]
    pub fn restart(mut self, restart: Restart) -> Self {
        self.restart = Some(restart);
        self
    }

    /// Starts the process.
    pub(super) fn start(&mut self) -> Result<RunningProcess, TransportError> {
        #[cfg(windows)]
        if self.search.is_pending {
            let found = self.search.found(self.command.as_std());
            self.command = found.map_err(|source| self.cannot_start(source))?;
            self.search.is_pending = false;
        }
        let started = Group::start(&mut self.command, &self.stderr);
        let mut group = started.map_err(|source| self.cannot_start(source))?;
        // Both were configured as pipes.
        let (Some(stdin), Some(stdout), stderr) = group.pipes() else {
            let source = ErrorKind::BrokenPipe.into();
            return Err(self.cannot_start(source));
        };
        Ok(RunningProcess {
            group,
            stdin,
            stdout,
            stderr,
        })
    }

    fn cannot_start(&self, source: io::Error) -> TransportError {
        let command = self.command.as_std();
        let program = command.get_program();
        // The system reports both as "not found".
        let is_absent = source.kind() == ErrorKind::NotFound;
        let folder = command.get_current_dir();
        let source = match folder.filter(|folder| is_absent && !folder.is_dir()) {
            Some(folder) => {
                let text = format!("its working directory `{}` was not found", folder.display());
                io::Error::new(ErrorKind::NotADirectory, text)
            }
            None => source,
        };
        TransportError::Spawn {
            program: program.to_string_lossy().into_owned(),
            source,
        }
    }
}

/// Uses a command with all its settings. Its standard streams are set later. On Windows the program needs its
/// extension, unless it is `.exe`.
impl From<std::process::Command> for ChildProcess {
    fn from(command: std::process::Command) -> Self {
        Self {
            command: command.into(),
            #[cfg(windows)]
            search: ProgramSearch::default(),
            stderr: Stderr::Inherit,
            grace: GRACE,
            restart: None,
        }
    }
}

/// A process with the pipes to it.
pub(super) struct RunningProcess {
    pub(super) group: Group,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    /// Present if it is captured.
    pub(super) stderr: Option<ChildStderr>,
}

/// Shows neither arguments nor variables, which may contain secrets.
impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildProcess")
            .field("program", &self.command.as_std().get_program())
            .field("stderr", &self.stderr)
            .field("grace", &self.grace)
            .field("restart", &self.restart)
            .finish_non_exhaustive()
    }
}
