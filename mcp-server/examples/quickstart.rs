//! A server over standard input and output with one tool.

use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolRequestParams, CallToolResult, TextContent,
};
use mcp_server::{Context, HandlerError, Server};

async fn greet(
    params: CallToolRequestParams,
    _cx: Context,
) -> Result<CallToolOutcome, HandlerError> {
    let name = params.arguments.as_ref().and_then(|all| all.get("name"));
    let name = name.and_then(|name| name.as_str()).unwrap_or("world");
    let text = TextContent::new(format!("Hello, {name}!"));
    Ok(CallToolResult::new([text.into()]).into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("quickstart", "1.0.0")
        .on::<CallToolRequest, _>(greet)
        .build()?;
    Ok(server.serve_stdio().await?)
}
