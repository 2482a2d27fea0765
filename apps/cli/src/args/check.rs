//! The arguments of `mcp check`.

use std::time::Duration;

use clap::Args;

use super::options::seconds;
use super::server::Server;
use crate::wire::Wire;

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Also reads each listed resource
    #[arg(long)]
    pub(crate) read: bool,
    /// Also checks what the server does of the proposals for resources, and its icons
    ///
    /// Each finding names the statement of a proposal. Lists, reads and gets resources, and requests
    /// their URLs; nothing is written without `--write`.
    #[arg(long)]
    pub(crate) proposals: bool,
    /// Calls this tool, and checks that versions change with contents and only with them
    #[arg(long, requires = "proposals", num_args = 2, value_names = ["TOOL", "ARGUMENTS"])]
    pub(crate) write: Option<Vec<String>>,
    /// Waits until the first URL has expired, at most for so many seconds
    #[arg(long, requires = "proposals", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    /// Warns of answers that take longer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) slow: Duration,
    /// Fails for warnings, too
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// What the messages of the server show.
    #[arg(skip)]
    pub(crate) wire: Wire,
    #[command(flatten)]
    pub(crate) server: Server,
}
