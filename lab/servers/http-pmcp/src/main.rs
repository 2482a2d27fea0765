//! pmcp over HTTP, with its own listener: `http-pmcp REVISION json|events|stream`. Prints its address
//! in the first line of its output. The endpoint is `/`.
//!
//! It handles requests concurrently, which `StreamableHttpServer::new` does not; all other settings
//! are defaults, except for JSON.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use pmcp::server::streamable_http_server::{StreamableHttpServer, StreamableHttpServerConfig};
use pmcp::server::typed_tool::TypedToolWithResult;
use pmcp::types::protocol::{
    LATEST_PROTOCOL_VERSION, PROTOCOL_VERSION_2026_07_28, ProtocolVersion,
};
use pmcp::types::{CallToolResult, Content};
use pmcp::{RequestHandlerExtra, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

type Answer = Pin<Box<dyn Future<Output = pmcp::Result<CallToolResult>> + Send>>;

fn greeting(name: &str) -> CallToolResult {
    CallToolResult::new(vec![Content::text(format!("Hello, {name}!"))])
}

fn greet(Greet { name }: Greet, _: RequestHandlerExtra) -> Answer {
    Box::pin(async move { Ok(greeting(&name)) })
}

fn report(Greet { name }: Greet, extra: RequestHandlerExtra) -> Answer {
    Box::pin(async move {
        extra.report_progress(1.0, Some(2.0), None).await?;
        Ok(greeting(&name))
    })
}

fn pause(Greet { name }: Greet, extra: RequestHandlerExtra) -> Answer {
    Box::pin(async move {
        extra.report_progress(1.0, Some(2.0), None).await?;
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
        Ok(greeting(&name))
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = std::env::args()
        .nth(2)
        .is_some_and(|answer| answer == "json");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(json))
}

async fn serve(json: bool) -> Result<(), Box<dyn std::error::Error>> {
    let tool =
        |name: &str, description: &str, handler: fn(Greet, RequestHandlerExtra) -> Answer| {
            TypedToolWithResult::new(name, handler).with_description(description)
        };
    let versions = [LATEST_PROTOCOL_VERSION, PROTOCOL_VERSION_2026_07_28];
    let server = Server::builder()
        .name("bench")
        .version("1.0.0")
        // Without it, a server does not have 2026-07-28.
        .with_supported_protocol_versions(versions.map(|name| ProtocolVersion(name.to_owned())))
        .tool("greet", tool("greet", "Greets somebody", greet))
        .tool("report", tool("report", "Reports first", report))
        .tool("pause", tool("pause", "Reports and waits", pause))
        .build()?;
    let config = StreamableHttpServerConfig {
        enable_json_response: json,
        ..StreamableHttpServerConfig::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let http = StreamableHttpServer::with_config_concurrent(address, Arc::new(server), config);
    let (address, task) = http.start().await?;
    println!("{address}");
    Ok(task.await?)
}
