//! A server over standard input and output with one tool.

use mcp_server::Server;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("quickstart", "1.0.0")
        .tool("greet", "Greets somebody", |args: Greet| async move {
            format!("Hello, {}!", args.name)
        })
        .build()?;
    Ok(server.serve_stdio().await?)
}
