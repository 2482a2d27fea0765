//! `gateway-ours URL`: `mcp-gateway` in front of the server at the URL, over HTTP. It prints its
//! address in the first line of its output.

use mcp_client::Http;
use mcp_gateway::{Gateway, Upstream};

/// Each session of a client has a connection of its own, and all of them work at once.
const SESSIONS: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: gateway-ours URL")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(url))
}

async fn serve(url: String) -> Result<(), Box<dyn std::error::Error>> {
    let upstream = Upstream::connecting("behind", move || Http::new(&url));
    let upstream = upstream.limits(|limits| limits.connections = SESSIONS);
    let gateway = Gateway::builder("bench", "1.0.0").upstream(upstream);
    let gateway = gateway.build().await?;
    let http = gateway.server().serve_http("127.0.0.1:0")?;
    println!("{}", http.local_addr());
    Ok(http.await?)
}
