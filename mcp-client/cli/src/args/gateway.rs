//! The arguments of `mcp gateway`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::Common;

#[derive(Debug, Args)]
pub(crate) struct Gateway {
    /// The file with the servers
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Presents only these servers of the file
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Serves over HTTP at this address, at the path `/mcp`, instead of standard input and output
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Requires clients over HTTP to send the token in this environment variable
    #[arg(long, value_name = "NAME", requires = "listen")]
    pub(crate) listen_token_env: Option<String>,
    /// Presents the tools only by a search if there are more than this number
    #[arg(long, value_name = "TOOLS")]
    pub(crate) search_above: Option<usize>,
    #[command(flatten)]
    pub(crate) common: Common,
}
