//! A clock.

use std::time::{SystemTime, UNIX_EPOCH};

use mcp_server::{HandlerError, Server};

async fn now() -> Result<String, HandlerError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(format!("{} seconds since 1970", since.as_secs()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("clock", "1.0.0")
        .tool("now", "Tells the time", now)
        .build()?;
    Ok(server.serve_stdio().await?)
}
