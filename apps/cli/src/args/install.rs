//! The arguments of `mcp servers`, `mcp install` and `mcp uninstall`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::options::{header, variable};
use super::server::Show;

#[derive(Debug, Args)]
pub(crate) struct Servers {
    /// Lists only the servers of a file: a path, or `claude-code`, `claude-desktop`, `cursor`,
    /// `vscode` or `zed` for the files of this host
    #[arg(long, value_name = "FILE|HOST")]
    pub(crate) config: Option<String>,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// The file that is changed.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The file that is changed: a path, or `claude-code`, `claude-desktop`, `cursor`, `vscode` or
    /// `zed` for the file of this host
    #[arg(long, value_name = "FILE|HOST")]
    pub(crate) config: String,
    /// Changes the file of the host in the current folder, not that of the user
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    #[arg(hide = true)]
    pub(crate) words: Vec<String>,
    #[arg(hide = true, last = true)]
    pub(crate) program: Vec<OsString>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Replaces a server that has this name
    #[arg(long)]
    pub(crate) replace: bool,
    /// Sends a header with every request to a URL
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// Sets a variable in the environment of the program
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Starts the program in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The name of the server
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) place: Place,
}
