//! Concurrent requests: order, cancellation, limits.

use mcp_server::Limits;
use serde_json::json;

use super::peer::{GatedPeer, call, cancel, code, legacy_call, text};

#[tokio::test]
async fn slow_request_does_not_block_the_next() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "gate").await;
    peer.send_call(2, "echo", "quick").await;
    let quick = peer.receive().await;
    assert_eq!((&quick["id"], text(&quick)), (&json!(2), "quick"));
    peer.send_call(3, "open", "gate").await;
    let mut ids = [
        peer.receive().await["id"].clone(),
        peer.receive().await["id"].clone(),
    ];
    ids.sort_by_key(serde_json::Value::to_string);
    assert_eq!(ids, [json!(1), json!(3)]);
    peer.assert_no_more().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousand_concurrent_requests_get_one_response_each() {
    let mut peer = GatedPeer::new();
    for id in 0..1000 {
        peer.send_call(id, "wait", "gate").await;
    }
    for _ in 0..1000 {
        peer.gates.entered("gate").await;
    }
    for _ in 0..1000 {
        peer.gates.open("gate");
    }
    let mut ids = Vec::new();
    for _ in 0..1000 {
        ids.push(peer.receive().await["id"].as_u64().expect("an id"));
    }
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..1000));
    peer.assert_no_more().await;
}

#[tokio::test]
async fn notifications_of_a_handler_precede_its_response() {
    let mut peer = GatedPeer::new();
    peer.send_call("a", "talk", "3").await;
    for number in 0..3 {
        let message = peer.receive().await;
        assert_eq!(message["method"], "notifications/message");
        let said = message["params"]["data"].as_str().expect("text");
        assert!(said.starts_with(&format!("{number} word")));
    }
    assert_eq!(peer.receive().await["id"], "a");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn cancelled_request_gets_no_response() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    peer.send(cancel(1)).await;
    peer.gates.left("gate").await;
    peer.gates.open("gate");
    // The id is free again.
    peer.send_call(1, "echo", "again").await;
    assert_eq!(text(&peer.receive().await), "again");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn cancelled_request_of_a_legacy_peer_gets_no_response() {
    let mut peer = GatedPeer::new();
    peer.handshake("2025-06-18").await;
    peer.send(legacy_call("x", "wait", "gate")).await;
    peer.gates.entered("gate").await;
    peer.send(cancel("x")).await;
    peer.gates.left("gate").await;
    peer.assert_no_more().await;
}

#[tokio::test]
async fn cancellation_of_an_unknown_request_is_ignored() {
    let mut peer = GatedPeer::new();
    peer.send(cancel(7)).await;
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}))
        .await;
    peer.send_call(7, "echo", "here").await;
    assert_eq!(text(&peer.receive().await), "here");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn id_in_flight_is_rejected() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "gate").await;
    peer.gates.entered("gate").await;
    peer.send_call(1, "echo", "twice").await;
    let refused = peer.receive().await;
    assert_eq!((&refused["id"], code(&refused)), (&json!(1), -32600));
    // Text and number are different ids.
    peer.send_call("1", "echo", "text").await;
    assert_eq!(peer.receive().await["id"], "1");
    peer.gates.open("gate");
    assert_eq!(text(&peer.receive().await), "gate");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn requests_beyond_the_limit_are_rejected_individually() {
    let mut limits = Limits::default();
    limits.concurrent_requests = 2;
    let mut peer = GatedPeer::with(limits);
    peer.send_call(1, "wait", "gate").await;
    peer.send_call(2, "wait", "gate").await;
    peer.send_call(3, "echo", "too many").await;
    let refused = peer.receive().await;
    assert_eq!((&refused["id"], code(&refused)), (&json!(3), -32603));
    assert_eq!(
        refused["error"]["message"],
        "too many requests are in flight: retry later"
    );
    peer.gates.open("gate");
    peer.receive().await;
    peer.send_call(4, "echo", "room").await;
    assert_eq!(text(&peer.receive().await), "room");
    peer.gates.open("gate");
    peer.receive().await;
    peer.assert_no_more().await;
}

#[tokio::test]
async fn panic_ends_only_its_request() {
    let mut peer = GatedPeer::new();
    for (id, tool) in [(1, "panic"), (2, "late panic")] {
        peer.send_call(id, tool, "").await;
        let answer = peer.receive().await;
        assert_eq!((&answer["id"], code(&answer)), (&json!(id), -32603));
    }
    peer.send_call(3, "echo", "alive").await;
    assert_eq!(text(&peer.receive().await), "alive");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn two_eras_interleave() {
    let mut peer = GatedPeer::new();
    peer.send_call(1, "wait", "modern").await;
    peer.handshake("2024-11-05").await;
    peer.send(legacy_call(2, "wait", "legacy")).await;
    peer.send_call(3, "echo", "new").await;
    let new = peer.receive().await;
    assert_eq!(new["result"]["resultType"], "complete");
    peer.send(legacy_call(4, "echo", "old")).await;
    let old = peer.receive().await;
    assert_eq!(text(&old), "old");
    assert_eq!(old["result"].get("resultType"), None);
    peer.gates.open("legacy");
    assert_eq!(peer.receive().await["id"], 2);
    peer.gates.open("modern");
    assert_eq!(peer.receive().await["id"], 1);
    peer.assert_no_more().await;
}

#[tokio::test]
async fn batch_gets_one_response_when_all_requests_are_done() {
    let mut peer = GatedPeer::new();
    peer.handshake("2025-03-26").await;
    peer.send(json!([
        legacy_call(1, "wait", "gate"),
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        legacy_call(2, "echo", "two"),
        legacy_call(3, "wait", "cancelled"),
        5,
    ]))
    .await;
    peer.gates.entered("cancelled").await;
    peer.send(legacy_call(9, "echo", "between")).await;
    assert_eq!(peer.receive().await["id"], 9);
    peer.send(cancel(3)).await;
    peer.gates.open("gate");
    let answers = peer.receive().await;
    let answers = answers.as_array().expect("a batch");
    let ids: Vec<_> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids.len(), 3, "{answers:?}");
    assert!(ids.contains(&&json!(1)) && ids.contains(&&json!(2)));
    assert!(
        answers
            .iter()
            .any(|answer| answer["error"]["code"] == -32600)
    );
    peer.assert_no_more().await;
}

#[tokio::test]
async fn batch_of_notifications_gets_no_response() {
    let mut peer = GatedPeer::new();
    peer.handshake("2025-03-26").await;
    peer.send(json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]))
        .await;
    peer.send(legacy_call(1, "echo", "next")).await;
    assert_eq!(text(&peer.receive().await), "next");
    peer.assert_no_more().await;
}

#[tokio::test]
async fn batch_at_another_revision_is_rejected() {
    let mut peer = GatedPeer::new();
    peer.send(json!([call(1, "echo", "")])).await;
    assert_eq!(code(&peer.receive().await), -32600);
    peer.assert_no_more().await;
}

/// The client's responses for two sessions could not be distinguished.
#[tokio::test]
async fn second_initialize_on_a_connection_is_rejected() {
    let mut peer = GatedPeer::new();
    peer.handshake("2025-06-18").await;
    peer.send(json!({
        "jsonrpc": "2.0",
        "id": "again",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "peer", "version": "2"},
        },
    }))
    .await;
    let refused = peer.receive().await;
    assert_eq!((&refused["id"], code(&refused)), (&json!("again"), -32600));
    peer.send(legacy_call(1, "echo", "still")).await;
    assert_eq!(text(&peer.receive().await), "still");
    peer.assert_no_more().await;
}
