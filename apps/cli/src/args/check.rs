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
