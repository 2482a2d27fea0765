//! rust-mcp-sdk over HTTP, with the listener of rust-mcp-axum: `http-rust-mcp-sdk REVISION
//! json|events|stream`. Prints its address in the first line of its output.
//!
//! It has only the revision 2026-07-28. By default, it responds with an event to each call; the
//! first line that a handler writes would be the response with JSON, so JSON is on only for the
//! tool that sends no progress.

#![expect(missing_docs, reason = "`tool_box` makes public items")]

use std::net::TcpListener;
use std::sync::Arc;

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

#[mcp_tool(name = "greet", description = "Greets somebody")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

#[mcp_tool(name = "report", description = "Reports first")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct Report {
    /// Whom to greet
    name: String,
}

#[mcp_tool(name = "pause", description = "Reports and waits")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct Pause {
    /// Whom to greet
    name: String,
}

tool_box!(Tools, [Greet, Report, Pause]);

struct Bench;

async fn report(context: &RequestContext, server: &dyn McpServer) -> Result<(), CallToolError> {
    let token = context.progress_token.clone();
    let sent = server.report_progress(token, 1.0, Some(2.0), None).await;
    sent.map_err(CallToolError::new)
}

#[async_trait]
impl ServerHandler for Bench {
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
        let name = match tool {
            Tools::Greet(Greet { name }) => name,
            Tools::Report(Report { name }) => {
                report(context, &*server).await?;
                name
            }
            Tools::Pause(Pause { name }) => {
                report(context, &*server).await?;
                for _ in 0..2 {
                    tokio::task::yield_now().await;
                }
                name
            }
        };
        let text = format!("Hello, {name}!");
        Ok(CallToolResult::text_content(vec![text.into()]).into())
    }
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
    let details = ServerDetails {
        server_info: Implementation {
            name: "bench".to_owned(),
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
        enable_json_response: Some(json),
        ..AxumServerOptions::default()
    };
    let server = create_axum_server(details, Bench.to_mcp_server_handler(), options);
    let handle = server.server_handle();
    let running = server.start_runtime().await?;
    if let Some(address) = handle.listening().await {
        println!("{address}");
    }
    // Returns the error if the port could not be bound.
    Ok(running.await_server().await?)
}
