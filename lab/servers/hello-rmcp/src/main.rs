//! The smallest useful server on standard input and output with rmcp, using the faster one of its
//! two transports.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt as _, schemars, tool, tool_router};
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

struct Hello;

#[tool_router(server_handler)]
impl Hello {
    #[tool(description = "Greets somebody")]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> String {
        format!("Hello, {name}!")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Hello.serve(rmcp::transport::io::stdio_pipes()).await?;
    service.waiting().await?;
    Ok(())
}
