//! Serves an HTTP API as a server over standard input and output.
//!
//! ```sh
//! export API_TOKEN=...
//! cargo run -p mcp-gateway --features search --example openapi -- pets.yaml https://pets.example/v1
//! ```

use mcp_gateway::search::Search;
use mcp_openapi::{ApiRequest, OpenApi};
use mcp_server::{Context, HandlerError, Server};

/// Adds the token of the environment, if there is one.
async fn authorize(mut request: ApiRequest, _: Context) -> Result<ApiRequest, HandlerError> {
    if let Ok(token) = std::env::var("API_TOKEN") {
        let value = format!("Bearer {token}").parse()?;
        request.headers_mut().insert("authorization", value);
    }
    Ok(request)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let document = arguments.next().ok_or("expected the file of a document")?;
    let mut api = OpenApi::parse(&std::fs::read_to_string(document)?)?.authorize(authorize);
    if let Some(url) = arguments.next() {
        api = api.base_url(url);
    }
    let made = api.tools()?;
    for fault in &made.faults {
        eprintln!("{fault}");
    }
    let server = Server::builder("openapi", env!("CARGO_PKG_VERSION"))
        .layer(Search::new())
        .merge(made.into_group())
        .build()?;
    server.serve_stdio().await?;
    Ok(())
}
