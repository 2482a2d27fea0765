//! A gateway in front of one server, whose names it leaves as they are. The conformance suite and
//! clients of other projects are run through it, with `cargo xtask conformance server --through
//! gateway` and `cargo xtask interop server --through gateway`.
//!
//! ```sh
//! gateway [--port PORT] [--revision REVISION] URL
//! gateway [--port PORT] [--revision REVISION] -- PROGRAM [ARGUMENT]...
//! ```
//!
//! Serves Streamable HTTP at `/mcp` of the port (0, the default, takes any), and prints the address
//! in its first line. `--revision` is the only one that it uses with the server behind it.

use std::error::Error;
use std::io::Write as _;

use mcp_client::{ChildProcess, Http};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::types::Revision;

const USAGE: &str =
    "usage: gateway [--port PORT] [--revision REVISION] (URL | -- PROGRAM [ARGUMENT]...)";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut port, mut revision) = (0, None);
    let mut words = std::env::args().skip(1);
    let upstream = loop {
        match words.next().ok_or(USAGE)?.as_str() {
            "--port" => port = words.next().ok_or(USAGE)?.parse()?,
            "--revision" => revision = Some(words.next().ok_or(USAGE)?.parse()?),
            "--" => break of_program(words.next().ok_or(USAGE)?, words.collect(), revision),
            url => break of_url(url, revision),
        }
    };
    let gateway = Gateway::builder("gateway", env!("CARGO_PKG_VERSION"));
    let gateway = gateway.upstream(upstream).build().await?;
    let serving = gateway.server().serve_http(format!("127.0.0.1:{port}"))?;
    let mut output = std::io::stdout().lock();
    writeln!(output, "listening on http://{}/mcp", serving.local_addr())?;
    output.flush()?;
    drop(output);
    Ok(serving.await?)
}

fn of_url(url: &str, revision: Option<Revision>) -> Upstream {
    let url = url.to_owned();
    Upstream::new("behind", move |mut builder| {
        let url = url.clone();
        if let Some(revision) = revision {
            builder = builder.revision(revision);
        }
        async move { builder.connect(Http::new(&url)).await }
    })
}

fn of_program(program: String, arguments: Vec<String>, revision: Option<Revision>) -> Upstream {
    Upstream::new("behind", move |mut builder| {
        let process = ChildProcess::new(&program).args(&arguments);
        if let Some(revision) = revision {
            builder = builder.revision(revision);
        }
        async move { builder.connect(process).await }
    })
}
