//! Lists the tools of a server, and calls a tool if its name is given: `cargo run -p mcp-client
//! --features tls --example http_client -- https://host/mcp [TOOL [ARGUMENTS]]`

use std::error::Error;

use mcp_client::types::json::{self, Object};
use mcp_client::{Client, Http};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let url = args.next().ok_or("which URL?")?;
    let mut server = Http::new(url);
    if let Ok(token) = std::env::var("TOKEN") {
        server = server.header("authorization", format!("Bearer {token}"));
    }
    let client = Client::builder("http-example", "1.0.0")
        .connect(server)
        .await?;
    let name = client.server_info().map(|info| info.name);
    println!(
        "{} speaks {}",
        name.unwrap_or_default(),
        client.revision().as_str()
    );
    for tool in client.tools().all().await?.items {
        println!("  {}", tool.name);
    }
    if let Some(tool) = args.next() {
        let arguments: Object = json::from_str(&args.next().unwrap_or_else(|| "{}".into()))?;
        let call = client.call_tool(tool).arguments(arguments);
        let result = call
            .on_progress(|progress| println!("  {progress:?}"))
            .await?;
        println!("{}", serde_json::to_string(&result)?);
    }
    // Ends the session at the server.
    client.close().await;
    Ok(())
}
