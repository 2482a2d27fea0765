//! Starts a server from npm, lists its tools and calls one of them.
//!
//! ```sh
//! cargo run -p mcp-client --features process --example quickstart
//! ```

use mcp_client::types::json::Object;
use mcp_client::{ChildProcess, Client};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
    let client = Client::builder("quickstart", "1.0.0")
        .connect(server)
        .await?;
    println!("{:?}, {}", client.server_info(), client.revision());

    for tool in client.list_tools().await?.tools {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }

    let numbers = Object::from([("a", 1), ("b", 2)]);
    let sum = client.call_tool("get-sum").arguments(numbers).await?;
    println!("{:?}", sum.content);

    client.close().await;
    Ok(())
}
