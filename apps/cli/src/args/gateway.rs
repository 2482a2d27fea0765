//! The arguments of `mcp gateway`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Arg, Args};

use super::Common;
use super::gateway_login::GatewayLogin;
use super::options::address;

#[derive(Debug, Args)]
#[command(mut_args(of_file))]
pub(crate) struct Gateway {
    /// The file with the servers
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Presents only these servers of the file
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Serves over HTTP at this address, at the path `/mcp`, instead of standard input and output
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Requires clients over HTTP to send the token in this environment variable
    #[arg(long, value_name = "NAME", requires = "listen")]
    pub(crate) listen_token_env: Option<String>,
    /// Reads the keys for ids of tasks, states and cursors from this environment variable
    ///
    /// They are 64 hexadecimal digits each, separated by commas: the first one is used, the others
    /// are older. Gateways with the same keys know what each other handed to clients, also after a
    /// restart. `openssl rand -hex 32` prints a key.
    #[arg(long, value_name = "NAME")]
    pub(crate) keys_env: Option<String>,
    /// Shares a store with other gateways, whose URL is in this environment variable
    ///
    /// Redis (`redis://`, `rediss://`) or PostgreSQL (`postgres://`). Clients can then use any of the
    /// gateways that have the same store and the same keys, behind one address. `mcp` needs the
    /// feature `redis` or `postgres`.
    #[arg(long, value_name = "NAME", requires = "keys_env", requires = "listen")]
    pub(crate) store_env: Option<String>,
    /// Passes the whole environment to the programs of the file
    ///
    /// Otherwise they get what most programs need, such as PATH and HOME, and what the file sets in
    /// `env`: not the secrets of other servers. Variables with the token, the keys, the store or the
    /// client secret of the gateway are never passed.
    #[arg(long)]
    pub(crate) inherit_env: bool,
    #[command(flatten)]
    pub(crate) login: GatewayLogin,
    /// Presents the tools only by a search if there are more than this number
    #[arg(long, value_name = "TOOLS")]
    pub(crate) search_above: Option<usize>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Hides the option for a token, which is for one server, and not for all of a file, and those for
/// logins: the gateway has no user who could log in.
fn of_file(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "login_port" | "no_browser" | "no_login" | "token_env" => argument.hide(true),
        _ => argument,
    }
}
