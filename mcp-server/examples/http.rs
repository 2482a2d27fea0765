//! A server in axum, next to other routes: `cargo run -p mcp-server --features axum --example http`

use mcp_server::{HttpConfig, Server, terminated};
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

async fn health() -> &'static str {
    "healthy"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("http-example", "1.0.0")
        .tool("greet", "Greets somebody", greet)
        .build()?;
    let app = axum::Router::new()
        .route("/health", axum::routing::get(health))
        .merge(server.clone().into_router("/mcp", HttpConfig::default()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    server.serve_router(listener, app, terminated()?).await?;
    Ok(())
}
