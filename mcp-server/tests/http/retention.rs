//! Limits on the data of peers that the server retains.

use std::time::Duration;

use mcp_server::{Condition, Memory, Put, Server, ValueStore as _};

use super::legacy::*;
use super::subject::*;

fn initialize_with(text: usize) -> String {
    let text = "x".repeat(text);
    initialize("2025-11-25").replace(
        r#""version":"1""#,
        &format!(r#""version":"1","unknown":"{text}""#),
    )
}

#[tokio::test]
async fn too_large_client_info_is_rejected() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let (head, _) = Raw::post(address, &media(), &initialize_with(60 << 10)).await;
    assert_eq!(head.status, 200);
    let (head, body) = Raw::post(address, &media(), &initialize_with(64 << 10)).await;
    assert!(head.get("mcp-session-id").is_none());
    assert_eq!(code(&body), -32602);
    assert!(body.contains("$.clientInfo"), "{body}");
    let declared = initialize("2025-11-25").replace(
        r#""roots":{}"#,
        &format!(
            r#""experimental":{{"x":{{"y":"{}"}}}}"#,
            "x".repeat(64 << 10)
        ),
    );
    let (_, body) = Raw::post(address, &media(), &declared).await;
    assert_eq!(code(&body), -32602);
    assert!(body.contains("$.capabilities"), "{body}");
    let modern = call(1, "echo").replace(
        r#""name":"t""#,
        &format!(r#""name":"{}""#, "x".repeat(64 << 10)),
    );
    let (_, body) = Raw::post(address, &call_headers("echo"), &modern).await;
    assert_eq!(code(&body), -32602);
    assert!(body.contains("$._meta"), "{body}");
    assert!(body.contains("clientInfo"), "{body}");
}

#[tokio::test]
async fn long_ids_and_tokens_are_rejected() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let fits = format!("\"{}\"", "x".repeat(1 << 10));
    let long = format!("\"{}\"", "x".repeat(2 << 10));
    for (from, to, place) in [
        (r#""id":1"#, r#""id":"#, "id"),
        (
            r#""progressToken":"p""#,
            r#""progressToken":"#,
            "$._meta.progressToken",
        ),
        (
            r#""progressToken":"p""#,
            r#""traceparent":"#,
            "$._meta.traceparent",
        ),
    ] {
        for (headers, body) in [
            (call_headers("echo"), call(1, "echo")),
            (session.clone(), tool(1, "echo")),
        ] {
            let with = |value: &str| body.replace(from, &format!("{to}{value}"));
            let (head, answer) = Raw::post(address, &headers, &with(&fits)).await;
            assert_eq!(head.status, 200, "{answer}");
            let (_, answer) = Raw::post(address, &headers, &with(&long)).await;
            assert_eq!(code(&answer), -32602, "{place}");
            assert!(answer.contains(place), "{answer}");
        }
    }
}

fn subscription(uris: &[String], meta: &str) -> (Vec<(&'static str, String)>, String) {
    let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
    let headers = with_header(headers, "Mcp-Method", "subscriptions/listen");
    let uris = serde_json::to_string(uris).expect("JSON");
    let meta = META.replacen('{', &format!(r#"{{"x":"{meta}","#), 1);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{{"notifications":{{"resourceSubscriptions":{uris}}},{meta}}}}}"#
    );
    (headers, body)
}

fn uris(count: usize, bytes: usize) -> Vec<String> {
    let uri = |at| format!("test://{at:05}/{}", "x".repeat(bytes / count));
    (0..count).map(uri).collect()
}

fn subscribing(retained: usize) -> Server {
    let limits = limits(|limits| {
        limits.retained_bytes = retained;
        limits.uri_bytes = 1 << 20;
    });
    let resources = mcp_server::types::ResourcesCapability::new().subscribe(true);
    server(|builder| limits(builder.capabilities(|has| has.resources(resources)))).0
}

#[tokio::test]
async fn subscription_that_retains_too_much_memory_is_rejected() {
    let address = serve(&subscribing(1 << 20));
    let (headers, body) = subscription(&[], &"x".repeat(64 << 10));
    let (_, answer) = Raw::post(address, &headers, &body).await;
    assert_eq!(code(&answer), -32602);
    assert!(answer.contains("$._meta"), "{answer}");
    // A peer may use a quarter of the memory.
    let (headers, body) = subscription(&uris(100, 100 << 10), "");
    let mut first = start(address, &headers, &body).await;
    assert_eq!(first.head().await.status, 200);
    first.chunks_until("acknowledged").await;
    let (_, answer) = Raw::post(address, &headers, &body).await;
    assert!(answer.contains("keep too much memory"), "{answer}");
    drop(first);
    soon(async {
        loop {
            let mut again = start(address, &headers, &body).await;
            if again.head().await.get("content-length").is_none() {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn large_sessions_evict_each_other() {
    let address = serve(&subscribing(4 << 20));
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let (head, _) = Raw::post(address, &media(), &initialize_with(30 << 10)).await;
        let id = head.get("mcp-session-id").expect("a session").to_owned();
        sessions.push(with_header(media(), "Mcp-Session-Id", &id));
    }
    for (session, status) in sessions.iter().zip([404, 200]) {
        assert_eq!(Raw::post(address, session, PING).await.0.status, status);
    }
    // The subscriptions of a session count as well.
    let small = start_session(address, "2025-11-25").await;
    for uri in uris(2, 200 << 10) {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"{uri}"}}}}"#
        );
        let (head, body) = Raw::post(address, &small, &body).await;
        assert_eq!(
            (head.status, body.contains("error")),
            (200, false),
            "{body}"
        );
    }
    assert_eq!(Raw::post(address, &sessions[1], PING).await.0.status, 404);
    assert_eq!(Raw::post(address, &small, PING).await.0.status, 200);
}

#[tokio::test]
async fn growing_session_is_closed_if_no_other_can_be_evicted() {
    let address = serve(&subscribing(1 << 20));
    let session = start_session(address, "2025-11-25").await;
    let mut received = listen(address, &session).await;
    for (uri, status) in uris(2, 300 << 10).iter().zip([404, 404]) {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"{uri}"}}}}"#
        );
        Raw::post(address, &session, &body).await;
        assert_eq!(Raw::post(address, &session, PING).await.0.status, status);
    }
    received.rest().await;
}

#[tokio::test]
async fn total_size_of_requests_in_flight_is_limited() {
    let (server, mut probe) = server(limits(|limits| limits.body_bytes_per_peer = 100 << 10));
    let address = serve(&server);
    let large = |id, tool| {
        let argument = format!(r#""arguments":{{"x":"{}"}}"#, "x".repeat(60 << 10));
        call(id, tool).replace(r#""arguments":{}"#, &argument)
    };
    let mut first = Raw::connect(address).await;
    first
        .request("POST", &call_headers("wait"), &large(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &large(2, "echo")).await;
    assert_eq!(head.status, 503);
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(3, "echo")).await;
    assert_eq!(head.status, 200, "a small one has room");
    probe.go.notify_one();
    let head = first.head().await;
    first.body(&head).await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &large(4, "echo")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn memory_store_of_values_is_bounded() {
    let store = Memory::new();
    let value = vec![b'x'; 1 << 20];
    let mut written = 0;
    for key in 0..80 {
        let put = Put {
            key: &key.to_string(),
            value: &value,
            time_to_live: Duration::from_secs(60),
            condition: Condition::Any,
            group: None,
        };
        written += usize::from(store.put(put).await.is_ok());
    }
    assert_eq!(written, 63);
    // Nothing that was acknowledged is lost, and what is removed makes room.
    assert!(store.get("0").await.expect("read").is_some());
    assert!(store.remove("0").await.expect("removed"));
    let put = Put {
        key: "79",
        value: &value,
        time_to_live: Duration::from_secs(60),
        condition: Condition::Any,
        group: None,
    };
    assert!(store.put(put).await.is_ok());
}
