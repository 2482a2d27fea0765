//! pmcp over HTTP, with its own listener and its default settings, as `cargo xtask attack --peer pmcp`
//! attacks it. It has the tools of the example `everything` of `mcp-server` that attacks call. Its
//! first line of output names the URL. It handles requests concurrently, as the documentation of
//! `StreamableHttpServer::new` recommends.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use pmcp::server::streamable_http_server::StreamableHttpServer;
use pmcp::server::typed_tool::TypedToolWithResult;
use pmcp::types::elicitation::ElicitRequestParams;
use pmcp::types::protocol::{
    LATEST_PROTOCOL_VERSION, PROTOCOL_VERSION_2026_07_28, ProtocolVersion,
};
use pmcp::types::{CallToolResult, Content};
use pmcp::{RequestHandlerExtra, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const STEP: Duration = Duration::from_millis(50);

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Terms {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// The message to show the user
    message: String,
}

type Answer = Pin<Box<dyn Future<Output = pmcp::Result<CallToolResult>> + Send>>;

fn text(text: &str) -> CallToolResult {
    CallToolResult::new(vec![Content::text(text)])
}

fn simple(_: Nothing, _: RequestHandlerExtra) -> Answer {
    Box::pin(async { Ok(text("This is a simple text response for testing.")) })
}

fn sum(Terms { a, b }: Terms, _: RequestHandlerExtra) -> Answer {
    Box::pin(async move { Ok(CallToolResult::structured(json!({ "sum": a + b }))) })
}

fn progress(_: Nothing, extra: RequestHandlerExtra) -> Answer {
    Box::pin(async move {
        for step in [0.0, 50.0, 100.0] {
            extra.report_progress(step, Some(100.0), None).await?;
            tokio::time::sleep(STEP).await;
        }
        Ok(text("progress reported"))
    })
}

fn logging(_: Nothing, _: RequestHandlerExtra) -> Answer {
    Box::pin(async {
        tokio::time::sleep(3 * STEP).await;
        Ok(text("Tool with logging executed successfully"))
    })
}

fn elicitation(Message { message }: Message, extra: RequestHandlerExtra) -> Answer {
    Box::pin(async move {
        let peer = extra
            .peer()
            .ok_or_else(|| pmcp::Error::internal("the request has no session"))?;
        let requested_schema = json!({
            "type": "object",
            "properties": { "username": { "type": "string" }, "email": { "type": "string" } },
            "required": ["username", "email"],
        });
        let question = ElicitRequestParams::Form {
            message,
            requested_schema,
        };
        let content = peer.elicit(question).await?.content.unwrap_or_default();
        let name = content.get("username").and_then(Value::as_str);
        Ok(text(name.unwrap_or_default()))
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve())
}

fn tool<A>(
    name: &str,
    description: &str,
    handler: fn(A, RequestHandlerExtra) -> Answer,
) -> TypedToolWithResult<A, fn(A, RequestHandlerExtra) -> Answer>
where
    A: serde::de::DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    TypedToolWithResult::new(name, handler).with_description(description)
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let versions = [LATEST_PROTOCOL_VERSION, PROTOCOL_VERSION_2026_07_28];
    let (simple_text, structured) = ("test_simple_text", "test_structured_content");
    let (with_progress, with_logging) = ("test_tool_with_progress", "test_tool_with_logging");
    let asking = "test_elicitation";
    let server = Server::builder()
        .name("everything")
        .version("1.0.0")
        // Without it, a server does not have 2026-07-28.
        .with_supported_protocol_versions(versions.map(|name| ProtocolVersion(name.to_owned())))
        .tool(simple_text, tool(simple_text, "Answers with text", simple))
        .tool(structured, tool(structured, "Adds two numbers", sum))
        .tool(
            with_progress,
            tool(with_progress, "Reports progress", progress),
        )
        .tool(
            with_logging,
            tool(with_logging, "Works for a while", logging),
        )
        .tool(asking, tool(asking, "Asks the user", elicitation))
        .build()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let http = StreamableHttpServer::new_concurrent(address, Arc::new(server));
    let (address, task) = http.start().await?;
    println!("listening on http://{address}/");
    Ok(task.await?)
}
