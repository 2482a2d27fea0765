//! Batches of revision 2025-03-26.

use mcp_server::{Bus as _, Memory};

use super::legacy::*;
use super::subject::*;

#[tokio::test]
async fn each_request_of_a_batch_takes_a_permit() {
    let (server, mut probe) = server(limits(|limits| limits.concurrent_requests = 2));
    let address = serve(&server);
    let session = start_session(address, "2025-03-26").await;
    let calls: Vec<_> = (1..=4).map(|id| tool(id, "wait")).collect();
    let mut raw = start(address, &session, &format!("[{}]", calls.join(","))).await;
    for _ in 0..2 {
        soon(probe.waiting.recv()).await;
    }
    // They leave no permits for other requests.
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(9, "echo")).await;
    assert_eq!(head.status, 503);
    probe.go.notify_one();
    probe.go.notify_one();
    let head = raw.head().await;
    let answers = raw.body(&head).await;
    let answers: Vec<serde_json::Value> = serde_json::from_str(&answers).expect("an array");
    assert_eq!(answers.len(), 4);
    for answer in &answers {
        let has_room = answer["id"].as_u64().expect("an id") <= 2;
        assert_eq!(answer["result"].is_object(), has_room, "{answer}");
        assert_eq!(answer["error"]["code"] == -32603, !has_room, "{answer}");
    }
    assert!(probe.waiting.try_recv().is_err(), "no other one began");
    // All permits are free again.
    let both = format!("[{},{}]", tool(1, "echo"), tool(2, "echo"));
    let (_, body) = Raw::post(address, &session, &both).await;
    assert!(!body.contains("error"), "{body}");
}

#[tokio::test]
async fn client_response_in_a_batch_is_published_once() {
    let bus = Memory::new();
    let start = bus.receive(None).await.expect("a position").position;
    let (server, _probe) = server(|builder| builder.store(bus.clone()));
    let address = serve(&server);
    let session = start_session(address, "2025-03-26").await;
    let answers = [
        r#"{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"78","error":{"code":1,"message":"no"}}"#,
    ];
    let batch = format!("[{},{PING},{},{}]", answers[0], answers[1], tool(1, "echo"));
    let (head, _) = Raw::post(address, &session, &batch).await;
    assert_eq!(head.status, 200);
    let page = bus.receive(Some(&start)).await.expect("messages");
    let published = page.messages.iter().filter_map(|message| {
        let message: serde_json::Value = serde_json::from_slice(message).expect("JSON");
        let answer = message["message"]["Answer"]["message"].as_str();
        answer.map(str::to_owned)
    });
    assert_eq!(published.collect::<Vec<_>>(), answers);
}
