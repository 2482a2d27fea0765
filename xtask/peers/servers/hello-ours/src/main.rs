//! The smallest useful server on standard input and output, as the documentation of `mcp-server`
//! begins.

use mcp_server::{Context, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("hello", "1.0.0")
        .tool(
            "greet",
            "Greets somebody",
            |args: Greet, _: Context| async move { Ok(format!("Hello, {}!", args.name)) },
        )
        .build()?;
    Ok(server.serve_stdio().await?)
}
