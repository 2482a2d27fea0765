//! Serves over HTTP, by itself or behind a proxy, with URLs for programs that do not speak the
//! protocol.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcp_server::rustls::ServerConfig;
use mcp_server::rustls::crypto::ring::default_provider;
use mcp_server::rustls::pki_types::pem::PemObject as _;
use mcp_server::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mcp_server::{Http, HttpConfig, HttpServer, HttpUrls, Server};

use super::options::Options;

/// The names of this machine, which are always allowed.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Returns the configuration of the URLs, which are below `/files/` of the public address.
pub(crate) fn urls(options: &Options) -> Result<Option<HttpUrls>, Box<dyn Error>> {
    let Some(public) = &options.public_url else {
        return Ok(None);
    };
    let base = format!("{}/files/", public.trim_end_matches('/'));
    let urls = HttpUrls::new(base).map_err(|error| format!("--public-url: {error}"))?;
    let lifetime = Duration::from_secs(options.url_lifetime.get());
    Ok(Some(urls.lifetime(lifetime)))
}

/// Serves until the server is shut down.
pub(crate) async fn serve(
    server: &Server,
    address: &str,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    let config = config(options);
    let (scheme, serving): (_, HttpServer) = match (&options.tls_cert, &options.tls_key) {
        (Some(certificate), Some(key)) => {
            let tls = Arc::new(tls(certificate, key)?);
            (
                "https",
                server.serve_http(Http::at(address).tls(tls).config(config))?,
            )
        }
        _ => ("http", server.serve_http(Http::at(address).config(config))?),
    };
    {
        let mut output = std::io::stdout().lock();
        let address = serving.local_addr();
        writeln!(output, "listening on {scheme}://{address}/mcp")?;
        output.flush()?;
    }
    Ok(serving.await?)
}

fn config(options: &Options) -> HttpConfig {
    let public = options.public_url.iter();
    let public = public.filter_map(|url| url.split('/').nth(2).map(str::to_owned));
    let named: Vec<String> = options.allow_host.iter().cloned().chain(public).collect();
    if named.is_empty() {
        return HttpConfig::new();
    }
    HttpConfig::new().allow_hosts(named.into_iter().chain(LOCAL.map(Into::into)))
}

/// Reads the certificate chain and the private key.
fn tls(certificate: &Path, key: &Path) -> Result<ServerConfig, Box<dyn Error>> {
    let unusable = |file: &Path, error| format!("{}: {error}", file.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(config)
}
