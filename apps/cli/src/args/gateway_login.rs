//! The arguments of `mcp gateway` for users who log in.

use std::path::PathBuf;

use clap::Args;

/// Users log in with accounts of a provider, and clients get tokens of the gateway.
#[derive(Debug, Args)]
#[command(next_help_heading = "Login")]
pub(crate) struct GatewayLogin {
    /// Lets users log in with their accounts at this provider
    ///
    /// `github`, `google`, `microsoft:TENANT`, `gitlab`, `slack`, `discord`, or the URL of an OpenID
    /// issuer. `local` has two users without a password, for trying it on this machine.
    #[arg(
        long,
        value_name = "PROVIDER",
        requires = "listen",
        conflicts_with = "listen_token_env"
    )]
    pub(crate) login: Option<String>,
    /// The URL by which clients and browsers reach the gateway: scheme, host and port
    #[arg(long, value_name = "URL", requires = "login")]
    pub(crate) public_url: Option<String>,
    /// The client id that the provider gave the gateway
    #[arg(long, value_name = "ID", requires = "login")]
    pub(crate) login_client_id: Option<String>,
    /// Reads the client secret that the provider gave the gateway from this environment variable
    #[arg(long, value_name = "NAME", requires = "login")]
    pub(crate) login_secret_env: Option<String>,
    /// Requests another scope from the provider; `read:org` of GitHub is requested with `--allow-org`
    #[arg(long, value_name = "SCOPE", requires = "login")]
    pub(crate) login_scope: Vec<String>,
    /// Lets this user in, by a verified email address, or by the login name at GitHub, GitLab or Discord
    #[arg(long, value_name = "USER", requires = "login")]
    pub(crate) allow_user: Vec<String>,
    /// Lets users in who have a verified email address of this domain, at Google an account of it
    ///
    /// With several options that allow users, one of them is enough.
    #[arg(long, value_name = "DOMAIN", requires = "login")]
    pub(crate) allow_domain: Vec<String>,
    /// Lets the members of an organization, team or group in, as the provider names it
    #[arg(long, value_name = "NAME", requires = "login")]
    pub(crate) allow_org: Vec<String>,
    /// Lets everybody in who has an account at the provider
    #[arg(long, requires = "login")]
    pub(crate) allow_anyone: bool,
    /// Serves over HTTPS with this certificate chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "listen")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Believes what a proxy at this address or network says about the address of a client
    #[arg(long, value_name = "ADDRESS", requires = "listen")]
    pub(crate) trusted_proxy: Vec<String>,
}
