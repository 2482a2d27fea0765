//! The arguments of `mcp servers`, `mcp install` and `mcp uninstall`.

use std::ffi::OsString;

use clap::Args;

use super::server::Show;
use crate::hosts::Host;

#[derive(Debug, Args)]
pub(crate) struct Servers {
    /// Lists only the servers of this host
    #[arg(long, value_enum)]
    pub(crate) host: Option<Host>,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// The file that is changed, unless `--config` names it.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The program whose file is changed
    #[arg(long, value_enum)]
    pub(crate) host: Option<Host>,
    /// Changes the file of the host in the current folder, not that of the user
    #[arg(long, requires = "host")]
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
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The name of the server
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) place: Place,
}
