//! The smallest useful server on standard input and output with turbomcp.

#![expect(clippy::unused_async, reason = "turbomcp takes async methods")]

use turbomcp::prelude::*;

#[derive(Clone)]
struct Hello;

#[turbomcp::server(name = "hello", version = "1.0.0")]
impl Hello {
    /// Greets somebody
    #[tool]
    async fn greet(&self, #[description("Whom to greet")] name: String) -> String {
        format!("Hello, {name}!")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Hello.run_stdio().await?;
    Ok(())
}
