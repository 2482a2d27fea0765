//! Subscriptions of both eras.

use mcp_server::Limits;
use serde_json::json;

use crate::support::soon;

use super::peer::{GatedPeer, cancel, code, legacy_call, meta, text};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

async fn listen(peer: &mut GatedPeer, id: &str, uri: &str) {
    peer.send(json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "subscriptions/listen",
        "params": {
            "notifications": {
                "toolsListChanged": true,
                "promptsListChanged": true,
                "resourceSubscriptions": [uri],
            },
            "_meta": meta(),
        },
    }))
    .await;
    let first = peer.receive().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["_meta"][ID], id);
    // Unsupported kinds of changes are omitted.
    let honoured = json!({"toolsListChanged": true, "resourceSubscriptions": [uri]});
    assert_eq!(first["params"]["notifications"], honoured);
}

#[tokio::test]
async fn subscription_is_acknowledged_notified_and_cancelled() {
    let mut peer = GatedPeer::new();
    listen(&mut peer, "s", "x:a").await;
    peer.server.resource_updated("x:other");
    peer.server.resource_updated("x:a");
    let received = peer.receive().await;
    assert_eq!(received["method"], "notifications/resources/updated");
    assert_eq!(received["params"]["uri"], "x:a");
    assert_eq!(received["params"]["_meta"][ID], "s");
    peer.server.tools_changed();
    let received = peer.receive().await;
    assert_eq!(received["method"], "notifications/tools/list_changed");
    assert_eq!(received["params"]["_meta"][ID], "s");
    peer.send(cancel("s")).await;
    peer.send_call(1, "tools changed", "done").await;
    assert_eq!(text(&peer.receive().await), "done");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn notifications_have_the_id_of_their_subscription() {
    let mut peer = GatedPeer::new();
    listen(&mut peer, "a", "x:a").await;
    listen(&mut peer, "b", "x:b").await;
    for id in ["b", "a"] {
        peer.server.resource_updated(format!("x:{id}"));
        assert_eq!(peer.receive().await["params"]["_meta"][ID], id);
    }
    peer.assert_no_more().await;
}

#[tokio::test]
async fn shutdown_ends_subscriptions_with_their_result() {
    let mut peer = GatedPeer::new();
    listen(&mut peer, "s", "x:a").await;
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    peer.server.shutdown();
    loop {
        let message = peer.receive().await;
        if message["id"] == "s" {
            assert_eq!(message["result"]["resultType"], "complete");
            assert_eq!(message["result"]["_meta"][ID], "s");
            break;
        }
        assert_eq!(message["method"], "notifications/cancelled");
    }
    // New work is rejected, but running work may finish.
    peer.send_call(2, "echo", "late").await;
    let refused = peer.receive().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
    peer.gates.open("gate");
    assert_eq!(text(&peer.receive().await), "gate");
    assert_eq!(peer.maybe_receive().await, None);
    soon(&mut peer.serving)
        .await
        .expect("no panic")
        .expect("served to the end");
}

#[tokio::test]
async fn legacy_peer_is_notified_of_its_subscriptions() {
    let mut peer = GatedPeer::new();
    peer.handshake("2025-11-25").await;
    let subscribe = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": "x:a"}});
    peer.send(subscribe("resources/subscribe")).await;
    assert_eq!(peer.receive().await["result"], json!({}));
    peer.send(legacy_call(2, "touch", "x:other")).await;
    assert_eq!(peer.receive().await["id"], 2);
    peer.server.resource_updated("x:a");
    let received = peer.receive().await;
    assert_eq!(received["method"], "notifications/resources/updated");
    assert_eq!(received["params"], json!({"uri": "x:a"}));
    peer.send(subscribe("resources/unsubscribe")).await;
    assert_eq!(peer.receive().await["result"], json!({}));
    peer.server.resource_updated("x:a");
    peer.server.tools_changed();
    let received = peer.receive().await;
    assert_eq!(received["method"], "notifications/tools/list_changed");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn change_right_after_a_legacy_subscription_is_notified() {
    let mut peer = GatedPeer::new();
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "peer", "version": "1"},
    });
    let uri = json!({"uri": "x:a"});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": uri}),
        legacy_call(3, "touch", "x:a"),
    ];
    // No other task runs in between.
    peer.write(messages.map(|message| format!("{message}\n")).concat())
        .await;
    let mut received = false;
    for _ in 0..4 {
        received |= peer.receive().await["method"] == "notifications/resources/updated";
    }
    assert!(received);
    peer.assert_no_more().await;
}

#[tokio::test]
async fn subscriptions_with_long_uris_are_bounded() {
    let long = |name: &str| format!("x:{name}{}", "y".repeat(100_000));
    let mut limits = Limits::default();
    limits.uri_bytes = 256 << 10;
    let mut peer = GatedPeer::with(limits);
    let uris = [long("a"), long("b"), long("c")];
    peer.send(json!({
        "jsonrpc": "2.0",
        "id": "s",
        "method": "subscriptions/listen",
        "params": {"notifications": {"resourceSubscriptions": uris}, "_meta": meta()},
    }))
    .await;
    assert_eq!(code(&peer.receive().await), -32602);
    peer.handshake("2025-11-25").await;
    let mut subscribe = async |method: &str, name: &str| {
        let params = json!({"uri": long(name)});
        peer.send(json!({"jsonrpc": "2.0", "id": name, "method": method, "params": params}))
            .await;
        peer.receive().await
    };
    for name in ["a", "b", "a"] {
        let answer = subscribe("resources/subscribe", name).await;
        assert_eq!(answer["result"], json!({}), "{name}");
    }
    assert_eq!(code(&subscribe("resources/subscribe", "c").await), -32602);
    subscribe("resources/unsubscribe", "a").await;
    let answer = subscribe("resources/subscribe", "c").await;
    assert_eq!(answer["result"], json!({}));
    peer.assert_no_more().await;
}
