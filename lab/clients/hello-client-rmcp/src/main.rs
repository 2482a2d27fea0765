//! Starts a server, lists its tools and calls one of them with rmcp, like the quickstart of
//! `mcp-client`.

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut command = Command::new("npx");
    command.args(["-y", "@modelcontextprotocol/server-everything"]);
    let client = ().serve(TokioChildProcess::new(command)?).await?;
    println!("{:?}", client.peer_info());

    for tool in client.list_all_tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }

    let numbers = serde_json::json!({ "a": 1, "b": 2 });
    let numbers = numbers.as_object().cloned().unwrap_or_default();
    let sum = client
        .call_tool(CallToolRequestParams::new("get-sum").with_arguments(numbers))
        .await?;
    println!("{:?}", sum.content);

    client.cancel().await?;
    Ok(())
}
