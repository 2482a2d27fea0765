//! A server under axum, beside other routes: `cargo run -p mcp-server --features http --example http`

use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolRequestParams, CallToolResult, ContentBlock,
    TextContent,
};
use mcp_server::{Context, HandlerError, HttpConfig, Server};

async fn call(
    params: CallToolRequestParams,
    _cx: Context,
) -> Result<CallToolOutcome, HandlerError> {
    let text = TextContent::new(format!("you called {}", params.name));
    Ok(CallToolResult::new([ContentBlock::Text(text)]).into())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("http-example", "1.0.0")
        .on::<CallToolRequest, _>(call)
        .build()?;
    let app = axum::Router::new()
        .route("/health", axum::routing::get(|| async { "well" }))
        .route_service("/mcp", server.into_service(HttpConfig::default()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
