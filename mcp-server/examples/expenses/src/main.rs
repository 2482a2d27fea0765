//! Expenses of several users, for clients of the Model Context Protocol.

mod access;
mod delete;
mod export;
mod resources;
mod store;
#[cfg(test)]
mod tests;
mod tools;

use axum::Router;
use axum::routing::get;
use mcp_server::{BuildErrors, ErrorDetail, HttpConfig, Server, terminated};
use mcp_server_oauth::OAuth;

use crate::store::Store;

/// What the server offers to MCP clients.
fn server(store: Store) -> Result<Server, BuildErrors> {
    Server::builder("expenses", "1.0.0")
        .instructions("Amounts are in cents.")
        .error_detail(ErrorDetail::Hidden)
        .state(store)
        .merge(tools::group())
        .merge(resources::group())
        .merge(delete::group())
        .merge(export::group())
        .build()
}

async fn page() -> &'static str {
    "Expenses: connect an MCP client to /mcp\n"
}

/// All routes: a page for people, and the endpoint for MCP clients.
fn app(server: Server, oauth: OAuth) -> Router {
    // Every request needs a token, so it does not matter by which name it arrives.
    let config = HttpConfig::new().any_host().authenticate(oauth);
    Router::new()
        .route("/", get(page))
        .merge(server.into_router("/mcp", config))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = server(Store::open("expenses.db")?)?;
    let app = app(server.clone(), access::oauth()?);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("listening on http://{}", listener.local_addr()?);
    server.serve_router(listener, app, terminated()?).await?;
    Ok(())
}
