//! Reports that programs download over HTTPS, on a laptop.

use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use mcp_server::rustls::ServerConfig;
use mcp_server::rustls::crypto::ring::default_provider;
use mcp_server::rustls::pki_types::pem::PemObject;
use mcp_server::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mcp_server::types::ResourceLink;
use mcp_server::{Http, HttpConfig, HttpUrls, Proposal, Server, terminated};

/// The base of the URLs on a laptop.
const LOCAL: &str = "https://localhost:8443/files/";

async fn november() -> &'static str {
    "day,cents\n2026-11-28,250\n"
}

/// The link in the result gets a URL.
async fn report() -> ResourceLink {
    ResourceLink::new("report://2026/11", "november")
}

fn server(base: &str) -> Result<Server, Box<dyn Error>> {
    Ok(Server::builder("reports", "1.0.0")
        .proposals([Proposal::HttpsUrl])
        .http_urls(HttpUrls::new(base)?)
        .resource("report://2026/11", "november", november)
        .tool("report", "Makes the report of this month", report)
        .build()?)
}

/// Reads the certificate and its key.
fn tls() -> Result<ServerConfig, Box<dyn Error>> {
    let chain = CertificateDer::pem_file_iter("localhost.pem")?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file("localhost.key")?;
    let tls = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(tls)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server(LOCAL)?;
    let app = Router::new()
        .route(
            "/",
            get(async || "Reports: connect an MCP client to /mcp\n"),
        )
        .merge(server.clone().into_router("/mcp", HttpConfig::new()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    let downloads = server.serve_http(Http::at("127.0.0.1:8443").tls(Arc::new(tls()?)))?;
    println!("listening on http://{}", listener.local_addr()?);
    // Both end when the server shuts down.
    tokio::try_join!(server.serve_router(listener, app, terminated()?), downloads)?;
    Ok(())
}
