//! The HTTP endpoint of the gateway: who may use it, and with which certificate.

use std::net::SocketAddr;

use mcp_server::{AccessToken, Http, HttpConfig, IpNetworkError};
use mcp_server_oauth::{OAuth, StaticTokens};

use super::login::login;
use super::secret;
use crate::args::gateway::Gateway as Args;
use crate::failure::Failure;
use crate::tls::server_config;

/// An HTTP endpoint, and what the operator has to know of it.
pub(super) struct Endpoint {
    pub(super) http: Http,
    /// The URL without a path, if it is not that of the address.
    pub(super) url: Option<String>,
    pub(super) notes: Vec<String>,
}

/// Returns the endpoint. Other machines may use it only with a token.
pub(super) fn endpoint(address: SocketAddr, args: &Args) -> Result<Endpoint, Failure> {
    let mut notes = Vec::new();
    let mut url = None;
    let config = HttpConfig::new();
    let config = if let Some((login, host)) = login(&args.login, address)? {
        notes.push(format!(
            "callback URL for the provider: {}",
            login.callback_url()
        ));
        notes.push(format!(
            "users see their sessions at {}",
            login.sessions_url()
        ));
        if args.keys_env.is_none() {
            let note = "without `--keys-env`, all users have to log in again after a restart";
            notes.push(note.to_owned());
        }
        url = args
            .login
            .public_url
            .as_deref()
            .map(|url| url.trim_end_matches('/').to_owned());
        config.allow_hosts([host]).authenticate(login)
    } else if let Some(name) = &args.listen_token_env {
        let oauth = static_token(address, &secret(name)?)?;
        // A token protects from pages in a browser, which is what names of hosts are checked for.
        config.authenticate(oauth).any_host()
    } else if address.ip().is_loopback() {
        config
    } else {
        let message = "`--listen` with an address that other machines reach needs \
                       `--listen-token-env` or `--login`";
        return Err(Failure::Usage(message.to_owned()));
    };
    let proxies = args.login.trusted_proxy.iter().map(|proxy| &**proxy);
    let config = config.trusted_proxies(proxies);
    let config = config
        .map_err(|error: IpNetworkError| Failure::Usage(format!("`--trusted-proxy`: {error}")))?;
    let mut http = Http::at(address).config(config);
    if let (Some(certificate), Some(key)) = (&args.login.tls_cert, &args.login.tls_key) {
        http = http.tls(server_config(certificate, key)?);
        url = url.or_else(|| Some(format!("https://{address}")));
    }
    Ok(Endpoint { http, url, notes })
}

/// Accepts one token, of everybody who has it.
fn static_token(address: SocketAddr, token: &str) -> Result<OAuth, Failure> {
    if address.port() == 0 {
        let message = "`--listen-token-env` needs a port, which is a part of what tokens are for";
        return Err(Failure::Usage(message.to_owned()));
    }
    let resource = if address.ip().is_unspecified() {
        format!("http://localhost:{}/mcp", address.port())
    } else {
        format!("http://{address}/mcp")
    };
    let owner = AccessToken::new(&resource)
        .subject("client")
        .audience([&resource]);
    let tokens = StaticTokens::new(&resource).token(token, owner);
    let oauth = OAuth::builder(&resource).verifier(tokens).build();
    oauth.map_err(|error| Failure::Usage(error.to_string()))
}
