//! `Versioned`: a handler returns contents together with their version.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::types::ResourceType;
use mcp_server::types::json::Object;
use mcp_server::{HandlerError, Proposal, ResourceDef, Server, ServerBuilder, Versioned};
use serde_json::{Value, json};

use super::opted;
use crate::support::peer::Peer;

const URI: &str = "row:1";

/// Returns a server with a resource, and the number of times that it was read.
fn server(builder: ServerBuilder) -> (Server, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let read = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async {
            let row = Versioned::new("one", "v7").kind("row");
            let row = row.metadata(Object::from([("table", "rows")]));
            Ok::<_, HandlerError>(row.resource_type(ResourceType::Document))
        }
    };
    let row = ResourceDef::new(URI, "row").handler(read);
    (builder.add_resource(row).build().unwrap(), reads)
}

#[tokio::test]
async fn version_belongs_to_the_contents_that_were_read_with_it() {
    let (server, reads) = server(opted());
    let mut peer = Peer::modern(&server);
    let got = peer.result("resources/get", json!({ "uri": URI })).await;
    assert_eq!(got["resource"]["version"], "v7");
    assert_eq!(got["resource"]["kind"], "row");
    assert_eq!(got["resource"]["metadata"], json!({ "table": "rows" }));
    assert_eq!(got["contents"]["content"], "one");
    assert_eq!(reads.load(Ordering::Relaxed), 1, "one step");
    let params = json!({ "uri": URI, "version": "v7" });
    let error = peer.request("resources/get", params).await;
    assert_eq!(error["error"]["code"], 304, "{error}");
}

#[tokio::test]
async fn plain_read_tells_the_version_to_peers_that_may_get_it() {
    let (both, _) = server(opted().proposals([Proposal::Sep2093]));
    let (one, _) = server(opted());
    let (none, _) = server(Server::builder("test", "1"));
    let uri = json!({ "uri": URI });
    let members = ["version", "kind", "metadata", "resourceType"];
    let read = |read: Value| members.map(|member| read["contents"][0][member].clone());
    let described = [
        json!("v7"),
        json!("row"),
        json!({ "table": "rows" }),
        json!("document"),
    ];
    let page = Peer::modern(&both)
        .result("resources/read", uri.clone())
        .await;
    assert_eq!(read(page), described);
    let page = Peer::modern(&one)
        .result("resources/read", uri.clone())
        .await;
    assert_eq!(read(page)[3], Value::Null);
    for mut peer in [
        Peer::modern(&none),
        Peer::legacy(&both, "2025-06-18").await,
        Peer::legacy(&one, "2025-06-18").await,
    ] {
        let page = peer.result("resources/read", uri.clone()).await;
        assert_eq!(read(page), [const { Value::Null }; 4]);
    }
}
