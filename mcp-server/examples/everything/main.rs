//! A server that shows every method of the specification, and the subject of the official
//! conformance suite. The example `files` shows icons and the proposals on resources.
//!
//! `everything --stdio` serves standard input and output. `everything --port 3000` serves
//! Streamable HTTP at `http://127.0.0.1:3000/mcp` to peers of all revisions, and the transport of
//! 2024-11-05 at `/sse` (0 takes any port, and the first line on standard output names it). Health,
//! readiness and metrics are at `/healthz`, `/readyz` and `/metrics`. Further options:
//!
//! - `--listen 0.0.0.0:3000` in place of the port, and `--any-host` behind a proxy.
//! - `--origin https://app.example.com`: pages of that origin may be clients, too.
//! - `--axum`: as an application in axum, with its listener.
//! - `--connections 20000`: the limits of connections, sessions and subscriptions.
//! - `--store redis://...` or `--store postgres://...`: several processes with the same store and the
//!   same `MCP_KEYS` (64 hexadecimal digits) serve one endpoint, see `docs/scale.md`.
//! - `--trust-proxy 127.0.0.1`: clients have the addresses that this proxy reports.
//! - `--orders FOLDER`: adds tools that count their effects in files of that folder.
//! - `--skills FOLDER`: serves the skills of another folder than that of the source code.

mod offers;
mod options;
mod orders;
mod questions;
mod tasks;
mod tools;

use std::error::Error;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::types::{Base64Text, Icon, IconTheme};
use mcp_server::{Http, HttpConfig, Server, terminated};
use mcp_skills::{OfferSkills as _, Skills};

use options::Options;

/// Returns an icon of 96x96 pixels that needs no request.
fn icon(png: &[u8]) -> Icon {
    let data = Base64Text::encode(png);
    Icon::new(format!("data:image/png;base64,{}", data.as_str()))
        .mime_type("image/png")
        .sizes(["96x96".to_owned()])
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut builder = Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .title("Everything")
        .description("Shows every method of the protocol")
        .website_url("https://modelcontextprotocol.io/")
        .icon(icon(include_bytes!("icons/light.png")).theme(IconTheme::Light))
        .icon(icon(include_bytes!("icons/dark.png")).theme(IconTheme::Dark))
        .instructions("Call the tools in any order; they are examples.");
    builder = tools::add(builder);
    builder = questions::add(builder);
    builder = tasks::add(builder);
    builder = offers::add(builder);
    builder = builder.skills(Skills::folder(&options.skills)?);
    if let Some(folder) = &options.orders {
        builder = orders::add(builder, folder.clone());
    }
    builder = options.limit(builder);
    let server = options.share(builder).await?.build()?;
    let updates = announce_updates(&server);
    let Some(address) = options.listen else {
        tokio::select! {
            ended = server.serve_stdio() => ended?,
            () = updates => {}
        }
        return Ok(());
    };
    let mut config = HttpConfig::new()
        .http_sse("/sse")
        .health_path("/healthz")
        .readiness_path("/readyz")
        .metrics_path("/metrics")
        .allow_origins(options.origin)
        .trusted_proxies(options.proxy)?;
    if options.any_host {
        config = config.any_host();
    }
    tokio::select! {
        // Clients go on at another process, if there are any.
        ended = serve(&server, address, config, options.axum) => ended?,
        () = updates => {}
    }
    Ok(())
}

/// Serves HTTP until an orchestrator asks the process to end.
async fn serve(
    server: &Server,
    address: SocketAddr,
    config: HttpConfig,
    in_axum: bool,
) -> Result<(), Box<dyn Error>> {
    let signal = terminated()?;
    #[cfg(feature = "axum")]
    if in_axum {
        let app = server.clone().into_router("/mcp", config);
        let listener = tokio::net::TcpListener::bind(address).await?;
        announce(listener.local_addr()?)?;
        return Ok(server.serve_router(listener, app, signal).await?);
    }
    if in_axum {
        return Err("--axum needs the feature `axum`".into());
    }
    let serving = server.serve_http(Http::at(address).config(config))?;
    announce(serving.local_addr())?;
    Ok(server.until(signal, serving).await?)
}

fn announce(address: SocketAddr) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "listening on http://{address}/mcp")?;
    output.flush()
}

/// Announces every second that the watched resource changed.
async fn announce_updates(server: &Server) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        server.resource_updated(offers::WATCHED);
    }
}
