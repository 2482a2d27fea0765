//! `mcp-server` over HTTP. Prints its address in the first line of its output.

use mcp_server::{Context, HandlerError, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

/// A delay that is long enough for the previous message to be sent separately. All servers that are
/// compared use the same.
async fn pause() {
    for _ in 0..2 {
        tokio::task::yield_now().await;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve())
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("bench", "1.0.0")
        .tool("greet", "Greets somebody", |args: Greet| async move {
            format!("Hello, {}!", args.name)
        })
        .tool(
            "report",
            "Reports first",
            async |args: Greet, cx: Context| -> Result<_, HandlerError> {
                cx.progress(1.0, 2.0, None).await?;
                Ok(format!("Hello, {}!", args.name))
            },
        )
        .tool(
            "pause",
            "Reports and waits",
            async |args: Greet, cx: Context| -> Result<_, HandlerError> {
                cx.progress(1.0, 2.0, None).await?;
                pause().await;
                Ok(format!("Hello, {}!", args.name))
            },
        )
        .build()?;
    let http = server.serve_http("127.0.0.1:0")?;
    println!("{}", http.local_addr());
    Ok(http.await?)
}
