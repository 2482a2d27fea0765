//! Starts a server, lists its tools and calls one of them with rust-mcp-sdk, like the quickstart of
//! `mcp-client`.

use async_trait::async_trait;
use rust_mcp_sdk::error::SdkResult;
use rust_mcp_sdk::mcp_client::{
    ClientHandler, McpClientOptions, ToMcpClientHandler as _, client_runtime,
};
use rust_mcp_sdk::schema::{
    CallToolRequestParams, ClientCapabilities, Implementation, RequestMetaObject, RequestParams,
};
use rust_mcp_sdk::{ClientDetails, McpClient as _, StdioTransport, TransportOptions};

struct Hello;

#[async_trait]
impl ClientHandler for Hello {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> SdkResult<()> {
    let details = ClientDetails {
        client_info: Implementation {
            name: "hello".to_owned(),
            version: "1.0.0".to_owned(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
        },
        capabilities: ClientCapabilities::default(),
    };
    let arguments = ["-y", "@modelcontextprotocol/server-everything"];
    let transport = StdioTransport::create_with_server_launch(
        "npx",
        arguments.map(str::to_owned).to_vec(),
        None,
        TransportOptions::default(),
    )?;
    let handler = Hello.to_mcp_client_handler();
    let client = client_runtime::create_client(McpClientOptions::new(details, transport, handler));
    client.clone().start().await?;
    let server = client.request_discover(RequestParams::default()).await?;
    println!("{:?}", server.supported_versions);

    for tool in client.request_tool_list(None).await?.tools {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }

    let numbers = serde_json::json!({ "a": 1, "b": 2 });
    let call = CallToolRequestParams {
        name: "get-sum".to_owned(),
        arguments: numbers.as_object().cloned(),
        input_responses: None,
        request_state: None,
        meta: RequestMetaObject::default(),
    };
    let sum = client.request_tool_call(call).await?;
    println!("{:?}", sum.content);

    client.shut_down().await
}
