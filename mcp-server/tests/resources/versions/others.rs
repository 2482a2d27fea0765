//! Peers that do not see the proposal: peers of older revisions, and all peers of a server that did
//! not enable it.

use mcp_server::types::{CallToolResult, ResourceLink, json::Object};
use mcp_server::{ResourceDef, Server, ServerBuilder};
use serde_json::{Value, json};

use super::notes::Notes;
use super::{SUBSCRIPTION, UPDATED, opted, speaking};
use crate::support::peer::Peer;

fn offering(builder: ServerBuilder, notes: &Notes) -> Server {
    let fixed = ResourceDef::text("d:a", "a", "text")
        .kind("file")
        .version("1")
        .metadata(Object::from([("owner", "me")]));
    builder
        .add_resource(fixed)
        .add_resource(ResourceDef::text("d:b", "b", "text"))
        .add_resource_template(notes.versioned())
        .tool("links", "Links", || async {
            let said = ResourceLink::new("d:a", "a").kind("file").version("2");
            let known = ResourceLink::new("d:b", "b");
            CallToolResult::new([said.into(), known.into()])
        })
        .build()
        .unwrap()
}

fn assert_bare(text: &Value) {
    let text = text.to_string();
    for member in ["kind", "version\"", "metadata", "versioned-resources"] {
        assert!(!text.contains(member), "{member} in {text}");
    }
}

#[tokio::test]
async fn older_revisions_do_not_get_the_proposal() {
    let notes = Notes::default();
    let server = offering(opted(), &notes);
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut peer = Peer::legacy(&server, revision).await;
        // It is an unknown member, so it is ignored.
        for params in [json!({}), json!({ "filter": { "colour": 1 } })] {
            let page = peer.result("resources/list", params).await;
            assert_eq!(page["resources"].as_array().unwrap().len(), 2);
            assert_bare(&page);
        }
        assert_bare(&peer.result("resources/templates/list", json!({})).await);
        assert_bare(&peer.call("links", json!({})).await);
        assert_bare(&peer.result("resources/read", json!({ "uri": "d:a" })).await);
        let (code, _) = peer.error("resources/get", json!({ "uri": "d:a" })).await;
        assert_eq!(code, -32601);
        peer.result("resources/subscribe", json!({ "uri": "n:a" }))
            .await;
        notes.change(&server, "a", "1");
        let received = peer.receive().await;
        assert_eq!(received["method"], UPDATED);
        assert_eq!(received["params"], json!({ "uri": "n:a" }));
    }
    assert_eq!(notes.counts(), (0, 0));
}

#[tokio::test]
async fn server_without_the_proposal_behaves_as_specified() {
    let notes = Notes::default();
    let server = offering(Server::builder("test", "1"), &notes);
    let mut peer = Peer::modern(&server);
    let found = peer.result("server/discover", json!({})).await;
    assert!(
        !found.to_string().contains("versioned-resources"),
        "{found}"
    );
    let filter = speaking(json!({ "filter": { "colour": 1 } }));
    let page = peer.result("resources/list", filter).await;
    assert_eq!(page["resources"].as_array().unwrap().len(), 2);
    assert_bare(&page["resources"]);
    assert_bare(&peer.call("links", json!({})).await["content"]);
    for (method, params) in [
        ("resources/get", json!({ "uri": "d:a" })),
        ("resources/subscribe", json!({ "uris": ["d:a"] })),
        ("resources/unsubscribe", json!({ "uris": ["d:a"] })),
    ] {
        let (code, message) = peer.error(method, speaking(params)).await;
        assert_eq!((code, message), (-32601, format!("no method `{method}`")));
    }
    let params = json!({ "notifications": { "resourceSubscriptions": ["n:a"] } });
    let id = peer.start("subscriptions/listen", speaking(params)).await;
    peer.receive().await;
    notes.change(&server, "a", "1");
    let received = peer.receive().await;
    assert_eq!(received["method"], UPDATED);
    assert_eq!(
        received["params"],
        json!({ "uri": "n:a", "_meta": { SUBSCRIPTION: id } })
    );
    assert_eq!(notes.counts(), (0, 0));
}

#[tokio::test]
async fn additions_are_sent_to_every_peer_of_the_newest_revision() {
    let server = offering(opted(), &Notes::default());
    let mut peer = Peer::modern(&server);
    let found = peer.result("server/discover", json!({})).await;
    let announced = &found["capabilities"]["experimental"]["versioned-resources"];
    assert_eq!(announced, &json!({}));
    let page = peer
        .result("resources/list", json!({ "filter": { "kind": "file" } }))
        .await;
    assert_eq!(page["resources"][0]["version"], "1");
    let got = peer.result("resources/get", json!({ "uri": "d:a" })).await;
    assert_eq!(got["resource"]["kind"], "file");
    let linked = peer.call("links", json!({})).await["content"].take();
    assert_eq!(linked[0]["kind"], "file");
    assert_eq!(linked[0]["version"], "2");
    // The metadata of a resource is also sent in links to it.
    let got = peer.result("resources/get", json!({ "uri": "d:b" })).await;
    assert_eq!(linked[1]["version"], got["resource"]["version"]);
}
