//! The options for requests over HTTP: headers, certificates, proxies and private addresses.

use std::path::PathBuf;

use mcp_client::{Client, FetchPolicy, Http, Proxy, is_loopback_url};
use mcp_fetch::Origin;

use crate::args::Options;
use crate::failure::Failure;
use crate::files;

/// The maximum size of a file with certificates, in bytes.
const CERTIFICATES: u64 = 16 << 20;

/// Returns the server at a URL, without authorization.
pub(crate) fn http(url: &str, options: &Options) -> Result<Http, Failure> {
    if options.common.network.insecure && !is_loopback_url(url) {
        let message = "`--insecure` is only for servers at `localhost` or a loopback address";
        return Err(Failure::Usage(message.to_owned()));
    }
    let server = Http::new(url)
        .insecure_loopback(options.common.network.insecure)
        .proxy(Proxy::from_env());
    let headers = options.header.iter().cloned();
    let server = headers.fold(server, |server, (name, value)| server.header(name, value));
    Ok(match certificates(options)? {
        Some(pem) => server.tls_roots(pem),
        None => server,
    })
}

/// Returns the policy for URLs that a server names.
pub(crate) fn policy(options: &Options) -> Result<FetchPolicy, Failure> {
    let policy = FetchPolicy::new()
        .allow_private(options.common.network.allow_private)
        .insecure_loopback(options.common.network.insecure)
        .proxy(Proxy::from_env());
    Ok(match certificates(options)? {
        Some(pem) => policy.tls_roots(pem),
        None => policy,
    })
}

/// Reads the certificates that are trusted in addition to those of the system.
pub(crate) fn certificates(options: &Options) -> Result<Option<Vec<u8>>, Failure> {
    let read = |path: &PathBuf| {
        files::read(path, CERTIFICATES).map_err(|source| Failure::File {
            path: path.clone(),
            source,
        })
    };
    options.common.network.cacert.as_ref().map(read).transpose()
}

/// Returns the policy for URLs of a server that is checked. Those of a server on this machine may be on
/// this machine or in its networks, also in plain text: it is being developed.
pub(crate) fn around(client: &Client) -> FetchPolicy {
    let policy = client.fetch_policy().clone();
    let url = client.url();
    match Origin::parse(url.as_deref().unwrap_or("http://127.0.0.1")) {
        Ok(server) if server.is_loopback() => policy.around(&server),
        _ => policy,
    }
}
