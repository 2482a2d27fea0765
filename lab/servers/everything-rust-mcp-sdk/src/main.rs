//! rust-mcp-sdk over HTTP, with the listener of rust-mcp-axum and its default settings, as `cargo
//! xtask attack --peer rust-mcp-sdk` attacks it. It has the tools of the example `everything` of
//! `mcp-server` that attacks call, without `test_elicitation`, which is called in sessions only. Its
//! first line of output names the URL.

#![expect(missing_docs, reason = "`tool_box` makes public items")]

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rust_mcp_axum::{AxumServerOptions, create_axum_server};
use rust_mcp_sdk::macros::{self, mcp_tool};
use rust_mcp_sdk::mcp_server::ServerHandler;
use rust_mcp_sdk::schema::{
    CallToolError, CallToolRequestParams, CallToolResult, Implementation, ListToolsResult,
    ListToolsResultCacheScope, PaginatedRequestParams, RpcError, ServerCapabilities,
    ServerCapabilitiesTools, ServerResult,
};
use rust_mcp_sdk::{McpServer, RequestContext, ServerDetails, ToMcpServerHandler as _, tool_box};
use serde::{Deserialize, Serialize};
use serde_json::json;

const STEP: Duration = Duration::from_millis(50);

#[mcp_tool(name = "test_simple_text", description = "Answers with text")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct SimpleText {}

#[mcp_tool(name = "test_structured_content", description = "Adds two numbers")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct StructuredContent {
    a: f64,
    b: f64,
}

#[mcp_tool(name = "test_tool_with_progress", description = "Reports progress")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct WithProgress {}

#[mcp_tool(name = "test_tool_with_logging", description = "Works for a while")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct WithLogging {}

tool_box!(
    Tools,
    [SimpleText, StructuredContent, WithProgress, WithLogging]
);

struct Everything;

fn text(text: &str) -> CallToolResult {
    CallToolResult::text_content(vec![text.to_owned().into()])
}

#[async_trait]
impl ServerHandler for Everything {
    async fn handle_list_tools_request(
        &self,
        _: Option<PaginatedRequestParams>,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ListToolsResult, RpcError> {
        Ok(ListToolsResult {
            tools: Tools::tools(),
            cache_scope: ListToolsResultCacheScope::Private,
            result_type: "complete".to_owned(),
            ttl_ms: 0,
            meta: None,
            next_cursor: None,
        })
    }

    async fn handle_call_tool_request(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext,
        server: Arc<dyn McpServer>,
    ) -> Result<ServerResult, CallToolError> {
        let tool = Tools::try_from(params)?;
        let result = match tool {
            Tools::SimpleText(SimpleText {}) => text("This is a simple text response for testing."),
            Tools::StructuredContent(StructuredContent { a, b }) => {
                let sum = json!({ "sum": a + b });
                let mut result = text(&sum.to_string());
                result.structured_content = Some(sum);
                result
            }
            Tools::WithProgress(WithProgress {}) => {
                for step in [0.0, 50.0, 100.0] {
                    let token = context.progress_token.clone();
                    let sent = server.report_progress(token, step, Some(100.0), None).await;
                    sent.map_err(CallToolError::new)?;
                    tokio::time::sleep(STEP).await;
                }
                text("progress reported")
            }
            Tools::WithLogging(WithLogging {}) => {
                tokio::time::sleep(3 * STEP).await;
                text("Tool with logging executed successfully")
            }
        };
        Ok(result.into())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve())
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let details = ServerDetails {
        server_info: Implementation {
            name: "everything".to_owned(),
            version: "1.0.0".to_owned(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
        },
        capabilities: ServerCapabilities {
            tools: Some(ServerCapabilitiesTools { list_changed: None }),
            ..ServerCapabilities::default()
        },
        instructions: None,
        meta: None,
    };
    // Port 0 is not possible: requests have to name the port of the options in `Host`.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let options = AxumServerOptions {
        port,
        ..AxumServerOptions::default()
    };
    let server = create_axum_server(details, Everything.to_mcp_server_handler(), options);
    let handle = server.server_handle();
    let running = server.start_runtime().await?;
    if let Some(address) = handle.listening().await {
        println!("listening on http://{address}/mcp");
    }
    // Returns the error if the port could not be bound.
    Ok(running.await_server().await?)
}
