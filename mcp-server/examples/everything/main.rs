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
use std::io::Write;
use std::time::Duration;

use mcp_server::{Http, HttpConfig, Server};

use options::Options;

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut builder = Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .title("Everything")
        .description("Shows every method of the protocol")
        .instructions("Call the tools in any order; they are examples.");
    builder = tools::add(builder);
    builder = questions::add(builder);
    builder = tasks::add(builder);
    builder = offers::add(builder);
    builder = builder.skills(options.skills.as_path());
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
    let serving = server.serve_http(Http::at(address).config(config))?;
    let mut output = std::io::stdout().lock();
    writeln!(output, "listening on http://{}/mcp", serving.local_addr())?;
    output.flush()?;
    drop(output);
    tokio::select! {
        // Clients go on at another process, if there are any.
        ended = server.until(terminated(), serving) => ended?,
        () = updates => {}
    }
    Ok(())
}

/// Resolves when an orchestrator asks the process to end.
async fn terminated() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        signal(SignalKind::terminate())?.recv().await;
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// Announces every second that the watched resource changed.
async fn announce_updates(server: &Server) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        server.resource_updated(offers::WATCHED);
    }
}
