//! Starts a server, lists its tools and calls one of them with turbomcp, like the quickstart of
//! `mcp-client`.

use std::collections::HashMap;

use turbomcp_client::Client;
use turbomcp_transport::child_process::{ChildProcessConfig, ChildProcessTransport};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = ["-y", "@modelcontextprotocol/server-everything"];
    let client = Client::new(ChildProcessTransport::new(ChildProcessConfig {
        command: "npx".to_owned(),
        args: arguments.map(str::to_owned).to_vec(),
        ..ChildProcessConfig::default()
    }));
    let connected = client.initialize().await?;
    println!("{:?}", connected.server_info);

    for tool in client.list_tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }

    let numbers = HashMap::from([("a".to_owned(), 1.into()), ("b".to_owned(), 2.into())]);
    let sum = client.call_tool("get-sum", Some(numbers), None).await?;
    println!("{:?}", sum.content);

    client.shutdown().await?;
    Ok(())
}
