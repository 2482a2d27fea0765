//! The options for requests over HTTP.

use std::path::PathBuf;

use clap::Args;

/// To which hosts the program connects.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct NetworkOptions {
    /// Also trusts the certificates in this file, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
    /// Accepts any certificate of a server on this machine
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Loads URLs that a server names, such as those for a login, also from private networks and
    /// from this machine; a proxy then resolves their names
    #[arg(long)]
    pub(crate) allow_private: bool,
}

/// What the program assumes of authorization servers.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ServerOptions {
    /// Logs in to servers without metadata, as revision 2025-03-26 describes it
    #[arg(long)]
    pub(crate) legacy_oauth: bool,
    /// Uses PKCE at this authorization server, which does not announce it
    #[arg(long, value_name = "ISSUER")]
    pub(crate) assume_pkce: Vec<String>,
}

/// How the program authorizes itself at a URL.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Login")]
pub(crate) struct AccountOptions {
    /// Does not log in if the server requires it
    #[arg(long)]
    pub(crate) no_login: bool,
    /// Shows the address for a login, but does not open a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Waits for the browser at this port, for example one that SSH forwards
    #[arg(long, value_name = "PORT")]
    pub(crate) login_port: Option<u16>,
    /// Sends the token in this environment variable
    #[arg(long, value_name = "NAME")]
    pub(crate) token_env: Option<String>,
    /// Uses this client, which is registered at the authorization server
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// The environment variable with the secret of the client
    #[arg(long, value_name = "NAME", requires_all = ["client_id", "issuer"])]
    pub(crate) client_secret_env: Option<String>,
    /// Authorizes the client itself, without a user
    #[arg(long, requires_all = ["client_id", "issuer"])]
    pub(crate) client_credentials: bool,
    /// Uses only this authorization server, which is the only one that gets the secret of the
    /// client
    #[arg(long, value_name = "URL")]
    pub(crate) issuer: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}
