//! A server over standard input and output with one tool.

use mcp_server::Server;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

async fn greet(args: Greet) -> String {
    format!("Hello, {}!", args.name)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("quickstart", "1.0.0")
        .tool("greet", "Greets somebody", greet)
        .build()?;
    Ok(server.serve_stdio().await?)
}
