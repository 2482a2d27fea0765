//! Calls a tool with rust-mcp-sdk: see `asking`. It has only the revision 2026-07-28, and
//! `request_tool_call` replaces `_meta`, so a call cannot ask for progress.

use std::sync::Arc;

use asking::{ARGUMENT, Fault, Server, TEXT, Task};
use async_trait::async_trait;
use rust_mcp_sdk::mcp_client::{
    ClientHandler, ClientRuntime, McpClientOptions, ToMcpClientHandler as _, client_runtime,
};
use rust_mcp_sdk::schema::{
    CallToolRequestParams, ClientCapabilities, Implementation, RequestMetaObject,
};
use rust_mcp_sdk::{
    ClientDetails, McpClient as _, RequestOptions, StdioTransport, StreamableTransportOptions,
    TransportOptions,
};
use serde_json::Map;

struct Bench;

#[async_trait]
impl ClientHandler for Bench {}

fn main() -> Result<(), Fault> {
    asking::main(client)
}

/// Returns the text of an error, because the errors of rust-mcp-sdk are not `Sync`.
#[expect(clippy::needless_pass_by_value, reason = "used with `map_err`")]
fn text(error: impl ToString) -> String {
    error.to_string()
}

fn connect(task: &Task) -> Result<Arc<ClientRuntime>, Fault> {
    let details = ClientDetails {
        client_info: Implementation {
            name: "bench".to_owned(),
            version: "1.0.0".to_owned(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
        },
        capabilities: ClientCapabilities::default(),
    };
    Ok(match &task.server {
        Server::Http(url) => {
            let options = StreamableTransportOptions {
                mcp_url: url.clone(),
                request_options: RequestOptions::default(),
            };
            client_runtime::with_transport_options(details, options, Bench, None)
        }
        Server::Stdio(program, arguments) => {
            let transport = StdioTransport::create_with_server_launch(
                program,
                arguments.clone(),
                None,
                TransportOptions::default(),
            )
            .map_err(text)?;
            let handler = Bench.to_mcp_client_handler();
            client_runtime::create_client(McpClientOptions::new(details, transport, handler))
        }
    })
}

async fn client(task: Task) -> Result<(), Fault> {
    if task.revision != "2026-07-28" {
        return Err("rust-mcp-sdk 2 has only the revision 2026-07-28".into());
    }
    if task.reports {
        return Err("calls of rust-mcp-sdk 2 cannot ask for progress".into());
    }
    let client = connect(&task)?;
    client.clone().start().await.map_err(text)?;
    let (name, value) = ARGUMENT;
    let params = CallToolRequestParams {
        name: task.tool.clone(),
        arguments: Some(Map::from_iter([(name.to_owned(), value.into())])),
        input_responses: None,
        request_state: None,
        meta: RequestMetaObject::default(),
    };
    let caller = client.clone();
    let call = move || {
        let (client, params) = (caller.clone(), params.clone());
        async move {
            let result = client.request_tool_call(params).await.map_err(text)?;
            let said = result.content.first();
            let said = said.and_then(|said| said.as_text_content().ok());
            Ok(said.is_some_and(|said| said.text == TEXT))
        }
    };
    task.run(call, || 0).await?;
    Ok(client.shut_down().await.map_err(text)?)
}
