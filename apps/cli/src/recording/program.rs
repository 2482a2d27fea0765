//! The command that starts a recorded or replayed server.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use tokio::process::Command;

use crate::args::Options;

/// Returns the command of a program with its arguments; `None` without a program.
pub(super) fn command(program: &[OsString], options: &Options) -> Option<Command> {
    let (name, arguments) = program.split_first()?;
    let mut command = Command::new(program_path(name));
    command.args(arguments);
    command.envs(options.env.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &options.cwd {
        command.current_dir(folder);
    }
    Some(command)
}

/// Returns the path of a program, which the system searches by itself.
#[cfg(not(windows))]
pub(crate) fn program_path(name: &OsStr) -> PathBuf {
    name.into()
}

/// Returns the path of a program, which the system finds only if it is an `.exe`: `npx` is `npx.cmd`. The
/// working directory is not searched.
#[cfg(windows)]
pub(crate) fn program_path(name: &OsStr) -> PathBuf {
    let is_name = std::path::Path::new(name).components().count() == 1;
    let found = if is_name {
        which::which_global(name)
    } else {
        which::which(name)
    };
    found.unwrap_or_else(|_| name.into())
}
