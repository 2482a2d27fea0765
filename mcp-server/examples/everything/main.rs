//! A server that shows every method of the specification, and the subject of the official
//! conformance suite. The example `files` shows icons and the proposals on resources.
//!
//! `everything --port 3000` serves Streamable HTTP at `http://127.0.0.1:3000/mcp` to peers of all
//! revisions, and the transport of 2024-11-05 at `/sse` (0 takes any port, and the first line on
//! standard output names it), and `everything --stdio` serves standard input and output. With
//! `--origin https://app.example.com` after the port, pages of that origin may be clients, too.
//! Health, readiness and metrics are at `/healthz`, `/readyz` and `/metrics`.

mod offers;
mod questions;
mod tools;

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use mcp_server::{Http, HttpConfig, Server};

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .title("Everything")
        .description("Shows every method of the protocol")
        .instructions("Call the tools in any order; they are examples.");
    builder = tools::add(builder);
    builder = questions::add(builder);
    builder = offers::add(builder);
    let server = builder.build()?;

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let updates = announce_updates(&server);
    match arguments[..] {
        ["--stdio"] => tokio::select! {
            ended = server.serve_stdio() => ended?,
            () = updates => {}
        },
        ["--port", port] | ["--port", port, "--origin", _] => {
            let config = HttpConfig::new()
                .http_sse("/sse")
                .health_path("/healthz")
                .readiness_path("/readyz")
                .metrics_path("/metrics")
                .allow_origins(arguments.get(3).copied());
            let serving =
                server.serve_http(Http::at(("127.0.0.1", port.parse()?)).config(config))?;
            let mut output = std::io::stdout().lock();
            writeln!(output, "listening on http://{}/mcp", serving.local_addr())?;
            output.flush()?;
            drop(output);
            tokio::select! {
                ended = serving => ended?,
                () = updates => {}
            }
        }
        _ => return Err("usage: everything --stdio | --port PORT [--origin ORIGIN]".into()),
    }
    Ok(())
}

/// Announces every second that the watched resource changed.
async fn announce_updates(server: &Server) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        server.resource_updated(offers::WATCHED);
    }
}
