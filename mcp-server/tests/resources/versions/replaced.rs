//! Definitions that are replaced while the server runs: subscribers learn of other contents.

use mcp_server::types::Resource;
use mcp_server::{ResourceDef, Server};
use serde_json::{Value, json};

use super::{CHANGED, UPDATED, opted, speaking};
use crate::support::peer::Peer;

/// Subscribes to `d:a`, and, as a marker for the end of the notifications, to `d:end`.
async fn listening(server: &Server, params: fn(Value) -> Value) -> Peer {
    let mut peer = Peer::modern(server);
    let uris = ["d:a", "d:end"];
    let notifications = json!({ "resourcesListChanged": true, "resourceSubscriptions": uris });
    let params = params(json!({ "notifications": notifications }));
    peer.start("subscriptions/listen", params).await;
    peer.receive().await;
    peer
}

/// Returns the notifications until the one of `d:end`.
async fn until_end(server: &Server, peer: &mut Peer) -> Vec<Value> {
    server.resource_updated("d:end");
    let mut received = Vec::new();
    loop {
        let notified = peer.receive().await;
        if notified.to_string().contains("d:end") {
            return received;
        }
        received.push(notified);
    }
}

fn methods(received: &[Value]) -> Vec<&str> {
    let methods = received.iter().map(|notified| notified["method"].as_str());
    methods.map(Option::unwrap_or_default).collect()
}

const LIST: &str = "notifications/resources/list_changed";

#[tokio::test]
async fn subscribers_learn_of_other_contents() {
    let text = |text| ResourceDef::text("d:a", "a", text);
    let handled = || ResourceDef::new("d:a", "a").handler(async || "made");
    let server = opted().add_resource(text("1")).build().unwrap();
    let mut peer = listening(&server, speaking).await;
    for (definition, changes) in [
        (text("2"), true),
        (text("2").title("The same contents"), false),
        (text("2").mime_type("text/markdown"), true),
        // The same bytes of the same type have the same version.
        (
            ResourceDef::bytes("d:a", "a", *b"2").mime_type("text/markdown"),
            false,
        ),
        (handled(), true),
        // What the handlers make is not known.
        (handled(), false),
        (handled().version("1"), true),
        (handled().version("1"), false),
        (handled().version("2"), true),
    ] {
        server.resources().replace(definition).unwrap();
        let received = until_end(&server, &mut peer).await;
        let expected: &[_] = if changes { &[LIST, CHANGED] } else { &[LIST] };
        assert_eq!(methods(&received), expected, "{received:?}");
        if let [_, notified] = received.as_slice() {
            let got = peer.result("resources/get", json!({ "uri": "d:a" })).await;
            assert_eq!(notified["params"]["resource"], got["resource"]);
        }
    }
    // A new resource has no earlier contents.
    let other = ResourceDef::text("d:other", "other", "1");
    server.resources().replace(other).unwrap();
    let received = until_end(&server, &mut peer).await;
    assert_eq!(methods(&received), [LIST]);
}

#[tokio::test]
async fn peers_without_the_proposal_get_updated() {
    let server = Server::builder("test", "1")
        .add_resource(ResourceDef::text("d:a", "a", "1"))
        .build()
        .unwrap();
    let mut peer = listening(&server, std::convert::identity).await;
    let definition = ResourceDef::text("d:a", "a", "2");
    server.resources().replace(definition).unwrap();
    let received = until_end(&server, &mut peer).await;
    assert_eq!(methods(&received), [LIST, UPDATED]);
    assert_eq!(received[1]["params"]["uri"], "d:a");
}

#[tokio::test]
async fn rejected_replacement_is_not_announced() {
    let server = opted()
        .add_resource(ResourceDef::text("d:a", "a", "1"))
        .build()
        .unwrap();
    let mut peer = listening(&server, speaking).await;
    let without_handler = ResourceDef::new("d:a", "a")
        .version("2")
        .describe(async |resource: Resource| resource);
    let error = server.resources().replace(without_handler).unwrap_err();
    assert!(error.to_string().contains("no handler"), "{error}");
    assert!(until_end(&server, &mut peer).await.is_empty());
}

#[tokio::test]
async fn each_change_of_a_version_is_notified_once() {
    let text = |text| ResourceDef::text("d:a", "a", text);
    let server = opted().add_resource(text("1")).build().unwrap();
    let mut peer = listening(&server, speaking).await;
    let mut versions = Vec::new();
    for (definition, changes) in [(text("2"), true), (text("2"), false), (text("1"), true)] {
        assert!(server.resources().remove("d:a"));
        server.resources().replace(definition).unwrap();
        let received = until_end(&server, &mut peer).await;
        let changed = received
            .iter()
            .filter(|notified| notified["method"] == CHANGED);
        let changed: Vec<_> = changed
            .map(|notified| &notified["params"]["resource"])
            .collect();
        assert_eq!(changed.len(), usize::from(changes), "{received:?}");
        let got = peer.result("resources/get", json!({ "uri": "d:a" })).await;
        if let [changed] = changed[..] {
            assert_eq!(*changed, got["resource"]);
        }
        versions.push(got["resource"]["version"].clone());
    }
    assert_ne!(versions[0], versions[2]);
    assert!(server.resources().remove("d:a"));
    server.resources().add(text("3")).unwrap();
    let received = until_end(&server, &mut peer).await;
    assert!(methods(&received).contains(&CHANGED), "{received:?}");
    // Nothing changed.
    for _ in 0..3 {
        server.resource_updated("d:a");
        assert_eq!(until_end(&server, &mut peer).await, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn subscriber_of_resources_learns_of_changes_of_the_list() {
    let server = opted()
        .add_resource(ResourceDef::text("d:a", "a", "1"))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let uris = json!({ "uris": ["d:a"] });
    peer.result("resources/subscribe", speaking(uris.clone()))
        .await;
    server
        .resources()
        .add(ResourceDef::text("d:b", "b", "1"))
        .unwrap();
    assert_eq!(peer.receive().await["method"], LIST);
    peer.result("resources/unsubscribe", uris).await;
    server.resources_changed();
    // A notification would come before the response.
    peer.result("resources/list", json!({})).await;
}
