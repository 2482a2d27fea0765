//! The draft of the next revision, which a server serves only if its program says so.

use mcp_server::Server;
use mcp_server::types::Revision;
use serde_json::{Value, json};

use crate::support::peer::Peer;

/// Params that name the draft as the revision of the request.
fn params() -> Value {
    json!({
        "name": "hello",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": Revision::Draft.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    })
}

#[tokio::test]
async fn server_that_does_not_opt_in_rejects_the_draft() {
    let server = Server::builder("test", "1").tool("hello", "Greets", async || "Hello");
    let mut peer = Peer::raw(&server.build().unwrap());
    let answer = peer.request("tools/call", params()).await;
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    let revisions: Vec<&str> = Revision::ALL.iter().rev().map(|it| it.as_str()).collect();
    assert_eq!(answer["error"]["data"]["supported"], json!(revisions));
}

#[tokio::test]
async fn server_that_opts_in_serves_the_draft_and_offers_it() {
    let server = Server::builder("test", "1").tool("hello", "Greets", async || "Hello");
    let server = server.draft().build().unwrap();
    let mut peer = Peer::raw(&server);
    let answer = peer.request("tools/call", params()).await;
    assert_eq!(answer["result"]["content"][0]["text"], "Hello", "{answer}");
    let answer = peer.request("server/discover", params()).await;
    let offered = &answer["result"]["supportedVersions"];
    assert_eq!(offered[0], Revision::Draft.as_str(), "{answer}");
    assert_eq!(offered[1], Revision::LATEST.as_str(), "{answer}");
}
