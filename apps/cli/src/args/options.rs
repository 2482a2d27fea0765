//! [`Options`]: which server the program connects to, and how.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mcp_client::types::Revision;

use super::network::{AccountOptions, NetworkOptions};

/// The default of the maximum size of a message, in bytes.
const MESSAGE: usize = 16 << 20;

/// The options of commands that connect to a server.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Options {
    /// Takes the server from a file of a host: a path, or `claude-code`, `claude-desktop`,
    /// `cursor`, `vscode` or `zed`. Its name is the first argument
    #[arg(long, value_name = "FILE|HOST")]
    pub(crate) config: Option<String>,
    /// Takes the server from a file in the current folder, and does not ask whether to use it
    ///
    /// Such files come with a project, so its authors decide which program is started and which
    /// variables are sent. Without this option, the files of the user are used first, and a server
    /// that only a project lists is used after a question at the terminal.
    #[arg(long)]
    pub(crate) project: bool,
    /// Accepts only this revision of the protocol, such as 2025-11-25
    #[arg(long)]
    pub(crate) revision: Option<Revision>,
    /// Sends a header with every request to a URL
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// Sets a variable in the environment of the program
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Starts the program in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    /// The maximum size of a message of the server
    #[arg(long, value_name = "BYTES", default_value_t = MESSAGE)]
    pub(crate) max_message: usize,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// The options of commands that connect to one or several servers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Common {
    /// How long to wait for each answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Shows on stderr: progress, log messages and stderr of the server, and events of this program
    #[arg(long, short)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
    #[command(flatten)]
    pub(crate) account: AccountOptions,
}

/// The options of commands for the account at a URL.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct UrlOptions {
    /// Takes the URL from a file of a host: a path, or the name of the host. The name of the server
    /// is the first argument
    #[arg(long, value_name = "FILE|HOST")]
    pub(crate) config: Option<String>,
    /// Takes the URL from a file in the current folder, and does not ask whether to use it
    #[arg(long)]
    pub(crate) project: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

impl From<&UrlOptions> for Options {
    fn from(options: &UrlOptions) -> Self {
        Self {
            config: options.config.clone(),
            project: options.project,
            ..Self::from(&options.common)
        }
    }
}

impl From<&Common> for Options {
    fn from(common: &Common) -> Self {
        Self {
            common: common.clone(),
            max_message: MESSAGE,
            ..Self::default()
        }
    }
}

/// Parses a number of seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Parses an address and a port.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse();
    address.map_err(|_| "expected an address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Parses a variable of the environment.
pub(super) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=VALUE`")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Parses a header.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("expected `NAME: VALUE`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
