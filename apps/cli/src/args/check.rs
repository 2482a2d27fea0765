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
    /// Also checks the proposals for resources that the server announces, and its icons
    ///
    /// Each finding names a statement of a proposal. Lists, reads and gets up to 500 resources, loads
    /// up to 500 icons, and requests up to 50 URLs; nothing is written without `--write`. `--cacert`
    /// and `--allow-private` are for the URLs, too.
    #[arg(long)]
    pub(crate) proposals: bool,
    /// Calls this tool, and checks that versions change with contents and only with them
    #[arg(long, requires = "proposals", num_args = 2, value_names = ["TOOL", "ARGUMENTS"])]
    pub(crate) write: Option<Vec<String>>,
    /// Waits until a URL has expired, at most for so many seconds, and requests it again
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
