//! The arguments of `mcp mock`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::options::{address, seconds};

/// Serves resources with which clients, and checks of servers, can be tried
///
/// Without `--listen`, over standard input and output. `--report` says what the client requests, and
/// which statements of the proposals it violates. With `--fault`, the server violates a statement
/// itself.
#[derive(Debug, Args)]
#[command(override_usage = "mcp mock [OPTIONS]")]
pub(crate) struct Mock {
    /// Announces the proposals for resources: metadata and collections, versions, and HTTPS URLs
    #[arg(long)]
    pub(crate) proposals: bool,
    /// Also has what clients have to survive: resources and icons of an attacker, and large lists
    #[arg(long, requires = "proposals")]
    pub(crate) hostile: bool,
    /// Violates a statement of a proposal, by one of the names that `--faults` lists
    #[arg(long, value_name = "FAULT", requires = "proposals")]
    pub(crate) fault: Option<String>,
    /// Lists the faults, and exits
    #[arg(long)]
    pub(crate) faults: bool,
    /// Serves over HTTP at this address, at the path `/mcp`; over HTTPS with `--tls-cert`
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// The certificate of `localhost` for HTTPS URLs, in PEM. Without one, resources have no URLs
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// For how long URLs are valid, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "900", value_parser = seconds)]
    pub(crate) url_lifetime: Duration,
    /// Appends what the client requests, and what it violates, to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}
