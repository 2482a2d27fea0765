//! Starts a server from npm, lists its tools and calls one of them.
//!
//! ```sh
//! cargo run -p mcp-client --features process --example stdio_client
//! ```

use mcp_client::{ChildProcess, Client};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
    let client = Client::builder("quickstart", "1.0.0")
        .connect(server)
        .await?;
    println!("{:?}, {}", client.server_info(), client.revision());

    for tool in client.tools().all().await?.items {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }

    let numbers = json!({ "a": 1, "b": 2 });
    let sum = client.call_tool("get-sum").arguments(&numbers).await?;
    println!("{}", sum.text());

    client.close().await;
    Ok(())
}
