//! The smallest useful server on standard input and output with pmcp.

use pmcp::Server;
use pmcp::server::typed_tool::TypedToolWithResult;
use pmcp::types::protocol::{
    LATEST_PROTOCOL_VERSION, PROTOCOL_VERSION_2026_07_28, ProtocolVersion,
};
use pmcp::types::{CallToolResult, Content};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> pmcp::Result<()> {
    // A typed tool that returns a value shows it as JSON, with quotes, so this one returns the result.
    let greet = TypedToolWithResult::new("greet", |Greet { name }, _| {
        Box::pin(async move {
            let text = format!("Hello, {name}!");
            Ok(CallToolResult::new(vec![Content::text(text)]))
        })
    });
    let versions = [LATEST_PROTOCOL_VERSION, PROTOCOL_VERSION_2026_07_28];
    let server = Server::builder()
        .name("hello")
        .version("1.0.0")
        // Without it, a server does not have 2026-07-28.
        .with_supported_protocol_versions(versions.map(|name| ProtocolVersion(name.to_owned())))
        .tool("greet", greet.with_description("Greets somebody"))
        .build()?;
    server.run_stdio().await
}
