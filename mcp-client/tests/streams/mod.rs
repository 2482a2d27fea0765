//! The client on a pair of byte streams: with `mcp-server` at every revision, and with scripts.

mod calls;
mod requests;
mod slow;
mod subscriptions;
mod table;

use mcp_client::{Client, ClientBuilder};
use mcp_server::Server;

use crate::support::serve;

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

async fn connect_to(server: Server, builder: ClientBuilder) -> Client {
    let connected = builder.connect(serve(&server)).await;
    connected.expect("the server answers")
}
