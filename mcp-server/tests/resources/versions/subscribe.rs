//! `resources/subscribe` and `resources/unsubscribe` with several URIs, on a connection.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::types::{Resource, ResourcesCapability};
use mcp_server::{
    ByteStream, Context, HandlerError, Limits, ResourceDef, ResourceUri, Server, TemplateDef,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::notes::Notes;
use super::{CHANGED, UPDATED, opted, speaking};
use crate::support::peer::Peer;

fn server(notes: &Notes) -> Server {
    notes.server()
}

fn uris(names: &[&str]) -> Value {
    let uris: Vec<_> = names.iter().map(|name| format!("n:{name}")).collect();
    speaking(json!({ "uris": uris }))
}

#[tokio::test]
async fn peer_is_notified_only_of_its_subscriptions() {
    let notes = Notes::default();
    let server = server(&notes);
    let mut peer = Peer::modern(&server);
    let result = peer.result("resources/subscribe", uris(&["a", "b"])).await;
    assert_eq!(result["resultType"], "complete");
    // Every result also has the server info.
    assert_eq!(result.as_object().unwrap().len(), 2, "{result}");
    peer.result("resources/subscribe", uris(&["b", "c"])).await;
    for name in ["other", "b", "a", "c"] {
        notes.change(&server, name, name);
        if name == "other" {
            continue;
        }
        let received = peer.receive().await;
        assert_eq!(received["method"], CHANGED, "{received}");
        let resource = &received["params"]["resource"];
        assert_eq!(resource["uri"], format!("n:{name}"));
        assert_eq!(resource["version"], name);
        assert_eq!(resource["kind"], "note");
        assert_eq!(received["params"]["_meta"], Value::Null);
        assert!(received["id"].is_null());
    }
    peer.result("resources/unsubscribe", uris(&["a", "c", "unknown"]))
        .await;
    for name in ["a", "c", "b"] {
        notes.change(&server, name, "later");
    }
    let received = peer.receive().await;
    assert_eq!(received["params"]["resource"]["uri"], "n:b");
    // A resource without subscribers is not described.
    assert_eq!(notes.counts(), (0, 4));
}

#[tokio::test]
async fn unsubscribed_peer_is_not_notified() {
    let notes = Notes::default();
    let entered = Arc::new(Semaphore::new(0));
    let go = Arc::new(Semaphore::new(0));
    let (enter, wait) = (Arc::clone(&entered), Arc::clone(&go));
    let resource = notes.plain().describe(move |resource: Resource| {
        enter.add_permits(1);
        let wait = Arc::clone(&wait);
        async move {
            wait.acquire().await?.forget();
            Ok::<_, HandlerError>(resource.version("1"))
        }
    });
    let server = opted().add_resource_template(resource).build().unwrap();
    let mut peer = Peer::modern(&server);
    peer.result("resources/subscribe", uris(&["a", "b"])).await;
    notes.change(&server, "a", "1");
    entered.acquire().await.unwrap().forget();
    peer.result("resources/unsubscribe", uris(&["a"])).await;
    notes.change(&server, "b", "1");
    go.add_permits(2);
    assert_eq!(peer.receive().await["params"]["resource"]["uri"], "n:b");
}

#[tokio::test]
async fn peer_without_the_proposal_gets_the_standard_form() {
    let notes = Notes::default();
    let server = server(&notes);
    let mut peer = Peer::modern(&server);
    peer.result("resources/subscribe", json!({ "uris": ["n:a"] }))
        .await;
    notes.change(&server, "a", "1");
    let received = peer.receive().await;
    assert_eq!(received["method"], UPDATED);
    assert_eq!(received["params"], json!({ "uri": "n:a" }));
    assert_eq!(notes.counts(), (0, 0));
}

#[tokio::test]
async fn subscriptions_of_both_eras_on_one_connection_are_separate() {
    let notes = Notes::default();
    let server = server(&notes);
    let mut peer = Peer::legacy(&server, "2025-11-25").await;
    let legacy = |uri: &str| json!({ "uri": uri });
    assert_eq!(
        peer.result("resources/subscribe", legacy("n:old")).await,
        json!({})
    );
    peer.result("resources/subscribe", uris(&["new", "both"]))
        .await;
    peer.result("resources/subscribe", legacy("n:both")).await;
    let changes = std::cell::Cell::new(0);
    let received = async |peer: &mut Peer, name: &str, count: usize| {
        changes.set(changes.get() + 1);
        notes.change(&server, name, changes.get());
        let mut methods = Vec::new();
        for _ in 0..count {
            let received = peer.receive().await;
            let uri = match received["method"].as_str() {
                Some(UPDATED) => &received["params"]["uri"],
                _ => &received["params"]["resource"]["uri"],
            };
            assert_eq!(uri, &format!("n:{name}"));
            methods.push(received["method"].as_str().unwrap().to_owned());
        }
        methods.sort();
        methods
    };
    assert_eq!(received(&mut peer, "old", 1).await, [UPDATED]);
    assert_eq!(received(&mut peer, "new", 1).await, [CHANGED]);
    assert_eq!(received(&mut peer, "both", 2).await, [CHANGED, UPDATED]);
    // The subscriptions of both are independent.
    peer.result("resources/unsubscribe", uris(&["both", "old"]))
        .await;
    assert_eq!(received(&mut peer, "both", 1).await, [UPDATED]);
    assert_eq!(received(&mut peer, "old", 1).await, [UPDATED]);
    peer.result("resources/unsubscribe", legacy("n:old")).await;
    peer.result("resources/unsubscribe", legacy("n:new")).await;
    notes.change(&server, "old", "more");
    assert_eq!(received(&mut peer, "new", 1).await, [CHANGED]);
    // Each gets only its own form.
    let (code, message) = peer
        .error("resources/subscribe", json!({ "uris": ["n:a"] }))
        .await;
    assert_eq!(code, -32602);
    assert!(message.contains("uri"), "{message}");
    let (code, message) = peer
        .error("resources/subscribe", speaking(legacy("n:a")))
        .await;
    assert_eq!(code, -32602);
    assert!(message.contains("uris"), "{message}");
}

#[tokio::test]
async fn subscriptions_of_a_connection_are_bounded() {
    let notes = Notes::default();
    let mut limits = Limits::default();
    limits.subscribed_resources = 3;
    limits.uri_bytes = 256 << 10;
    let server = opted()
        .limits(limits)
        .add_resource_template(notes.versioned())
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    peer.result("resources/subscribe", uris(&["a", "b"])).await;
    // All or nothing.
    let (code, message) = peer.error("resources/subscribe", uris(&["c", "d"])).await;
    assert_eq!(code, -32602);
    assert!(
        message.contains("$.uris") && message.contains("more than 3"),
        "{message}"
    );
    // An existing subscription does not count twice.
    peer.result("resources/subscribe", uris(&["a", "b", "a", "c", "c"]))
        .await;
    peer.error("resources/subscribe", uris(&["d"])).await;
    peer.result("resources/unsubscribe", uris(&["a"])).await;
    let long = "x".repeat(150 << 10);
    peer.result("resources/subscribe", uris(&[&long])).await;
    peer.result("resources/unsubscribe", uris(&["b"])).await;
    let other = "y".repeat(150 << 10);
    let (code, message) = peer.error("resources/subscribe", uris(&[&other])).await;
    assert_eq!(code, -32602);
    assert!(
        message.contains("$.uris") && message.contains("262144 bytes"),
        "{message}"
    );
    // A cancelled subscription frees its permit.
    peer.result("resources/unsubscribe", uris(&[&long])).await;
    peer.result("resources/subscribe", uris(&[&other])).await;
    // Another connection has its own limit.
    let mut another = Peer::modern(&server);
    another
        .result("resources/subscribe", uris(&["a", "b", "c"]))
        .await;
    for name in ["a", "d"] {
        notes.change(&server, name, "1");
    }
    assert_eq!(another.receive().await["params"]["resource"]["uri"], "n:a");
    notes.change(&server, "c", "1");
    assert_eq!(peer.receive().await["params"]["resource"]["uri"], "n:c");
}

#[tokio::test]
async fn invalid_params_are_rejected_with_their_path() {
    let mut peer = Peer::modern(&server(&Notes::default()));
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        for (params, place) in [
            (json!({}), "uris"),
            (json!({ "uri": "n:a" }), "uris"),
            (json!({ "uris": "n:a" }), "$.uris"),
            (json!({ "uris": ["n:a", 1] }), "$.uris[1]"),
        ] {
            let (code, message) = peer.error(method, params).await;
            assert_eq!(code, -32602);
            assert!(message.contains(place), "{message}");
        }
    }
}

#[tokio::test]
async fn subscribe_is_unknown_without_subscriptions() {
    let quiet = opted()
        .capabilities(|has| has.resources(ResourcesCapability::new()))
        .add_resource(ResourceDef::text("d:a", "a", "text"))
        .build()
        .unwrap();
    let nothing = opted().build().unwrap();
    for server in [quiet, nothing] {
        let mut peer = Peer::modern(&server);
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            let (code, _) = peer.error(method, json!({ "uris": ["d:a"] })).await;
            assert_eq!(code, -32601);
        }
    }
}

#[tokio::test]
async fn subscriptions_end_with_the_connection() {
    let notes = Notes::default();
    // Referenced by the description of a resource for a peer, and by a task that it spawned.
    let held = Arc::new(());
    let seen = Arc::clone(&held);
    let describe = move |resource: Resource, cx: Context| {
        let (held, left) = (Arc::clone(&seen), Arc::clone(&seen));
        tokio::spawn(async move {
            cx.cancelled().await;
            drop(left);
        });
        async move {
            std::future::pending::<()>().await;
            drop(held);
            resource
        }
    };
    let resource = TemplateDef::new("h:{name}", "held")
        .handler(|ResourceUri(uri): ResourceUri| async move { uri })
        .describe(describe);
    let server = opted()
        .add_resource_template(notes.versioned())
        .add_resource_template(resource)
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve(ByteStream::new(reader, writer)).await }
    });
    let (reader, mut writer) = tokio::io::split(ours);
    let params = speaking(json!({ "uris": ["n:a", "h:a"] }));
    let request =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": params });
    let request = format!("{request}\n");
    writer.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(reader).lines();
    let answer = lines.next_line().await.unwrap().unwrap();
    assert!(answer.contains("complete"), "{answer}");
    notes.change(&server, "a", "1");
    let received = lines.next_line().await.unwrap().unwrap();
    assert!(received.contains(CHANGED), "{received}");
    // Both are running when the peer disconnects.
    server.resource_updated("h:a");
    until(|| Arc::strong_count(&held) == 4).await;
    drop((lines, writer));
    serving.await.unwrap().unwrap();
    until(|| Arc::strong_count(&held) == 2).await;
    let (_, before) = notes.counts();
    notes.change(&server, "a", "2");
    tokio::task::yield_now().await;
    assert_eq!(notes.counts(), (0, before));
}

/// Polls until a condition holds that cannot be awaited.
async fn until(condition: impl Fn() -> bool) {
    let holds = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), holds)
        .await
        .expect("in time");
}
