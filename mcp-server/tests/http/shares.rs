//! Limits for each peer: no peer can use up the total.

use std::net::SocketAddr;

use mcp_server::{HttpConfig, Limits};

use super::legacy::{PING, cancel, initialize, start, start_session, tool};
use super::principals::mount;
use super::subject::*;
use crate::support::apps::serve_app;

#[tokio::test]
async fn requests_in_flight_are_limited_per_address() {
    let (server, mut probe) = server(limits(|limits| limits.requests_per_peer = 2));
    let address = serve(&server);
    let mut waiting = Vec::new();
    for id in 0..2 {
        let mut raw = Raw::connect(address).await;
        raw.request("POST", &call_headers("wait"), &call(id, "wait"))
            .await;
        soon(probe.waiting.recv()).await;
        waiting.push(raw);
    }
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(3, "echo")).await;
    assert_eq!((head.status, head.get("retry-after")), (429, Some("1")));
    let mut other = Raw::connect_from("127.0.0.2", address).await;
    let (head, _) = other
        .ask("POST", &call_headers("echo"), &call(4, "echo"))
        .await;
    assert_eq!(head.status, 200);
    probe.go.notify_one();
    probe.go.notify_one();
    for raw in &mut waiting {
        let head = raw.head().await;
        raw.body(&head).await;
        assert_eq!(head.status, 200);
    }
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(5, "echo")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn client_responses_and_cancellations_need_no_request_permit() {
    for change in [
        |limits: &mut Limits| limits.requests_per_peer = 2,
        |limits: &mut Limits| limits.concurrent_requests = 2,
    ] {
        let (server, mut probe) = server(limits(change));
        let address = serve(&server);
        let session = start_session(address, "2025-11-25").await;
        let mut asking = start(address, &session, &tool(1, "ask")).await;
        let head = asking.head().await;
        let read = asking.chunks_until("roots/list").await;
        let (_, id) = read.rsplit_once(r#""id":"#).expect("an id");
        let id: String = id.chars().take_while(char::is_ascii_digit).collect();
        // The first is cancelled, and the next one takes its permit.
        for request in [2, 3] {
            let mut waiting = start(address, &session, &tool(request, "wait")).await;
            soon(probe.waiting.recv()).await;
            let (refused, _) = Raw::post(address, &session, PING).await;
            assert!(matches!(refused.status, 429 | 503), "{refused:?}");
            if request == 2 {
                cancel(address, &session, request).await;
                assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
                let head = waiting.head().await;
                waiting.body(&head).await;
            }
        }
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
        let (answered, _) = Raw::post(address, &session, &answer).await;
        assert_eq!(answered.status, 202);
        assert!(asking.body(&head).await.contains("0 roots"));
    }
}

#[tokio::test]
async fn requests_in_flight_are_limited_per_principal() {
    let (server, mut probe) = server(limits(|limits| limits.requests_per_peer = 1));
    let address = mount(&server, HttpConfig::default()).await;
    let headers = |tool: &str, user: &str| with_header(call_headers(tool), "X-User", user);
    let mut waiting = Raw::connect(address).await;
    waiting
        .request("POST", &headers("wait", "ann"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    for (user, status) in [("ann", 429), ("bob", 200)] {
        let (head, _) = Raw::post(address, &headers("echo", user), &call(2, "echo")).await;
        assert_eq!(head.status, status, "{user}");
    }
}

#[tokio::test]
async fn indistinguishable_clients_have_no_limit_per_peer() {
    let (server, mut probe) = server(limits(|limits| {
        limits.requests_per_peer = 1;
        limits.concurrent_requests = 2;
    }));
    let service = server.into_service(HttpConfig::default());
    let app = axum::Router::new().fallback_service(service);
    let address = serve_app(app).await;
    let mut waiting = Vec::new();
    for id in 0..2 {
        let mut raw = Raw::connect(address).await;
        raw.request("POST", &call_headers("wait"), &call(id, "wait"))
            .await;
        soon(probe.waiting.recv()).await;
        waiting.push(raw);
    }
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(3, "echo")).await;
    assert_eq!(head.status, 503);
}

/// Starts a session from an address of this machine, and returns its id.
async fn start_session_from(local: &str, address: SocketAddr) -> (u16, String) {
    let mut raw = Raw::connect_from(local, address).await;
    let (head, _) = raw.ask("POST", &media(), &initialize("2025-11-25")).await;
    let id = head.get("mcp-session-id").unwrap_or_default().to_owned();
    (head.status, id)
}

async fn ping(address: SocketAddr, id: &str) -> u16 {
    let headers = with_header(media(), "Mcp-Session-Id", id);
    Raw::post(address, &headers, PING).await.0.status
}

#[tokio::test]
async fn address_with_many_sessions_loses_its_own() {
    let (server, _probe) = server(limits(|limits| {
        limits.sessions = 10;
        limits.sessions_per_peer = 3;
    }));
    let address = serve(&server);
    let (_, other) = start_session_from("127.0.0.2", address).await;
    let mut own = Vec::new();
    for _ in 0..20 {
        let (status, id) = start_session_from("127.0.0.3", address).await;
        assert_eq!(status, 200);
        own.push(id);
    }
    assert_eq!(ping(address, &other).await, 200);
    for (at, id) in own.iter().enumerate() {
        let expected = if at < 17 { 404 } else { 200 };
        assert_eq!(ping(address, id).await, expected, "{at}");
    }
}

#[tokio::test]
async fn channels_are_limited_per_address() {
    let (server, _probe) = server(limits(|limits| limits.sessions_per_peer = 1));
    let address = serve_with(&server, HttpConfig::default().http_sse("/mcp"));
    let mut open = Vec::new();
    for (local, status) in [("127.0.0.2", 200), ("127.0.0.2", 429), ("127.0.0.3", 200)] {
        let mut raw = Raw::connect_from(local, address).await;
        raw.request("GET", &media(), "").await;
        assert_eq!(raw.head().await.status, status, "{local}");
        open.push(raw);
    }
}
