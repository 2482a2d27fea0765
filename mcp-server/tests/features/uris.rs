//! The length of URIs from a peer is limited before they are matched.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_server::{Completing, Limits, ResourceUri, Server, ServerBuilder};
use serde_json::{Value, json};

use crate::support::peer::Peer;

/// A template that matches any URI that begins with `x:`.
fn builder(read: &Arc<AtomicBool>) -> ServerBuilder {
    let read = Arc::clone(read);
    let handler = move |ResourceUri(uri): ResourceUri| {
        read.store(true, Ordering::Relaxed);
        async move { uri.len().to_string() }
    };
    Server::builder("test", "1")
        .resource_template("x:{+rest}", "x", handler)
        .complete_resource("x:{+rest}", "rest", |_: Completing| async { vec!["all"] })
}

fn uri(bytes: usize) -> String {
    format!("x:{}", "a".repeat(bytes - 2))
}

fn completion(uri: &str) -> Value {
    json!({
        "ref": { "type": "ref/resource", "uri": uri },
        "argument": { "name": "rest", "value": "" },
    })
}

async fn assert_refused(peer: &mut Peer, method: &str, params: Value, place: &str, bytes: usize) {
    let (code, message) = peer.error(method, params).await;
    assert_eq!(code, -32602, "{method}: {message}");
    let expected = format!(
        "{place}: the URI has {bytes} bytes, the limit is {}",
        bytes - 1
    );
    assert_eq!(message, expected, "{method}");
}

#[tokio::test]
async fn uri_longer_than_8_kib_is_rejected_before_matching() {
    let read = Arc::<AtomicBool>::default();
    let server = builder(&read).build().unwrap();
    let (longest, long) = (uri(8 << 10), uri((8 << 10) + 1));
    let bytes = long.len();
    for mut peer in [
        Peer::modern(&server),
        Peer::legacy(&server, "2025-11-25").await,
    ] {
        let params = json!({ "uri": longest });
        let result = peer.result("resources/read", params).await;
        assert_eq!(result["contents"][0]["text"], "8192");
        assert!(read.swap(false, Ordering::Relaxed));
        let params = json!({ "uri": long });
        assert_refused(&mut peer, "resources/read", params, "$.uri", bytes).await;
        assert!(!read.load(Ordering::Relaxed));
        let (code, message) = peer
            .error("completion/complete", completion(&longest))
            .await;
        assert!(
            code == -32602 && message.contains("no resource template"),
            "{message}"
        );
        let params = completion(&long);
        assert_refused(&mut peer, "completion/complete", params, "$.ref.uri", bytes).await;
    }
    let mut peer = Peer::legacy(&server, "2025-11-25").await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        peer.result(method, json!({ "uri": longest })).await;
        assert_refused(&mut peer, method, json!({ "uri": long }), "$.uri", bytes).await;
    }
    let mut peer = Peer::modern(&server);
    let filter = json!({ "notifications": { "resourceSubscriptions": ["x:1", long] } });
    let place = "$.notifications.resourceSubscriptions[1]";
    assert_refused(&mut peer, "subscriptions/listen", filter, place, bytes).await;
}

#[tokio::test]
async fn limit_of_uris_is_configurable() {
    let mut limits = Limits::default();
    limits.uri_bytes = 10;
    let read = Arc::<AtomicBool>::default();
    let server = builder(&read).limits(limits).build().unwrap();
    let mut peer = Peer::modern(&server);
    peer.result("resources/read", json!({ "uri": uri(10) }))
        .await;
    let params = json!({ "uri": uri(11) });
    assert_refused(&mut peer, "resources/read", params, "$.uri", 11).await;
}
