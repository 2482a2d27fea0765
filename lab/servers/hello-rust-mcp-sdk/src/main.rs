//! The smallest useful server on standard input and output with rust-mcp-sdk.

#![expect(missing_docs, reason = "`tool_box` makes public items")]

use std::sync::Arc;

use async_trait::async_trait;
use rust_mcp_sdk::error::SdkResult;
use rust_mcp_sdk::macros::{self, mcp_tool};
use rust_mcp_sdk::mcp_server::{McpServerOptions, ServerHandler, server_runtime};
use rust_mcp_sdk::schema::{
    CallToolError, CallToolRequestParams, CallToolResult, Implementation, ListToolsResult,
    ListToolsResultCacheScope, PaginatedRequestParams, RpcError, ServerCapabilities,
    ServerCapabilitiesTools, ServerResult,
};
use rust_mcp_sdk::{
    McpServer, RequestContext, ServerDetails, StdioTransport, ToMcpServerHandler as _,
    TransportOptions, tool_box,
};
use serde::{Deserialize, Serialize};

#[mcp_tool(name = "greet", description = "Greets somebody")]
#[derive(Debug, Deserialize, Serialize, macros::JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

tool_box!(Tools, [Greet]);

struct Hello;

#[async_trait]
impl ServerHandler for Hello {
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
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ServerResult, CallToolError> {
        let Tools::Greet(Greet { name }) = Tools::try_from(params)?;
        let text = format!("Hello, {name}!");
        Ok(CallToolResult::text_content(vec![text.into()]).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> SdkResult<()> {
    let server_details = ServerDetails {
        server_info: Implementation {
            name: "hello".to_owned(),
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
    let server = server_runtime::create_server(McpServerOptions {
        server_details,
        transport: StdioTransport::new(TransportOptions::default())?,
        handler: Hello.to_mcp_server_handler(),
        message_observer: None,
    });
    server.start().await
}
