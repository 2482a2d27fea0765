//! Requests of 2026-07-28: one POST each.

use std::time::Duration;

use mcp_server::types::rpc::ErrorObject;
use mcp_server::{AnyRequest, AnyResult, HandlerError};

use super::subject::*;

fn discover(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{{{params}}}}}"#)
}

fn discover_headers() -> Vec<(&'static str, String)> {
    let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
    with_header(headers, "Mcp-Method", "server/discover")
}

fn version(version: &str) -> String {
    META.replace("2026-07-28", version)
}

#[tokio::test]
async fn result_without_notifications_is_one_json_text() {
    let (server, _probe) = server(|builder| builder);
    let mut raw = Raw::connect(serve(&server)).await;
    for id in 1..4 {
        let (head, body) = raw
            .ask("POST", &call_headers("echo"), &call(id, "echo"))
            .await;
        assert_eq!(head.status, 200);
        assert_eq!(head.get("content-type"), Some("application/json"));
        assert_eq!(head.get("content-length"), Some(&*body.len().to_string()));
        assert!(head.get("mcp-session-id").is_none());
        let message: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(message["id"], id);
        assert_eq!(message["result"]["content"][0]["text"], "echo");
    }
    let (head, body) = raw
        .ask("POST", &call_headers("panic"), &call(9, "panic"))
        .await;
    assert_eq!((head.status, code(&body)), (200, -32603));
}

#[tokio::test]
async fn notifications_turn_the_response_into_events() {
    let (server, _probe) = server(|builder| builder);
    let mut raw = Raw::connect(serve(&server)).await;
    let (head, body) = raw.ask("POST", &call_headers("say"), &call(1, "say")).await;
    assert_eq!(head.status, 200);
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    assert_eq!(head.get("cache-control"), Some("no-cache"));
    assert_eq!(head.get("x-accel-buffering"), Some("no"));
    let events: Vec<_> = body.split_terminator("\n\n").collect();
    assert_eq!(events.len(), 3, "{body}");
    assert!(
        events.iter().all(|event| event.starts_with("data: {")),
        "{body}"
    );
    assert!(events[0].contains("notifications/progress"), "{body}");
    assert!(events[2].contains("\"said\""), "{body}");
}

#[tokio::test]
async fn head_and_first_event_are_sent_together() {
    let (server, mut probe) = server(|builder| builder);
    let mut raw = Raw::connect(serve(&server)).await;
    raw.request(
        "POST",
        &call_headers("say_and_wait"),
        &call(1, "say_and_wait"),
    )
    .await;
    soon(probe.waiting.recv()).await;
    assert!(raw.more().await);
    let first = String::from_utf8_lossy(raw.unused()).into_owned();
    assert!(first.starts_with("HTTP/1.1 200"), "{first}");
    assert!(first.contains("notifications/progress"), "{first}");
    raw.head().await;
    raw.chunk().await;
    probe.go.notify_one();
    assert!(raw.chunk().await.contains("said and waited"));
    assert_eq!(raw.chunk().await, "");
}

#[tokio::test]
async fn client_disconnect_cancels_the_request() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    for tool in ["wait", "say_and_wait"] {
        let mut raw = Raw::connect(address).await;
        raw.request("POST", &call_headers(tool), &call(1, tool))
            .await;
        assert_eq!(soon(probe.waiting.recv()).await.as_deref(), Some(tool));
        if tool == "say_and_wait" {
            raw.head().await;
        }
        drop(raw);
        assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some(tool));
    }
}

#[tokio::test]
async fn idle_request_gets_comments() {
    let (server, probe) = server(limits(|limits| {
        limits.keep_alive = Duration::from_millis(10)
    }));
    let mut raw = Raw::connect(serve(&server)).await;
    raw.request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    let head = raw.head().await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    for _ in 0..3 {
        assert!(raw.chunk().await.starts_with(':'));
    }
    probe.go.notify_one();
    let rest = raw.body(&head).await;
    assert!(rest.contains("\"waited\""), "{rest}");
}

#[tokio::test]
async fn slow_reader_blocks_the_handler_without_loss() {
    let (server, _probe) = server(limits(|limits| limits.queued_bytes = 2_000));
    let mut raw = Raw::connect(serve(&server)).await;
    let (_, body) = raw
        .ask("POST", &call_headers("flood"), &call(1, "flood"))
        .await;
    assert_eq!(body.matches("notifications/progress").count(), 64);
    assert!(body.ends_with("\n\n") && body.contains("\"flooded\""));
}

#[tokio::test]
async fn subscription_stream_ends_with_a_result_on_shutdown() {
    let (server, _probe) = server(|builder| builder);
    let mut raw = Raw::connect(serve(&server)).await;
    let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
    let headers = with_header(headers, "Mcp-Method", "subscriptions/listen");
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#
    );
    raw.request("POST", &headers, &body).await;
    assert_eq!(raw.head().await.status, 200);
    assert!(
        raw.chunk()
            .await
            .contains("notifications/subscriptions/acknowledged")
    );
    server.tools_changed();
    assert!(
        raw.chunk()
            .await
            .contains("notifications/tools/list_changed")
    );
    server.shutdown();
    let mut last = String::new();
    while !last.contains("\"result\"") {
        last = raw.chunk().await;
        assert!(!last.is_empty(), "the stream has no result");
    }
    assert_eq!(raw.chunk().await, "");
    // The connection ends, too.
    assert!(!raw.more().await);
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_rejected() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let cases = [
        ("Mcp-Name", "echo", 200),
        ("mcp-name", "  echo  ", 200),
        ("MCP-NAME", "=?base64?ZWNobw==?=", 200),
        ("Mcp-Name", "=?base64?ZWNobw?=", 400),
        ("Mcp-Name", "Echo", 400),
        ("Mcp-Name", "", 400),
        ("Mcp-Method", "tools/list", 400),
        ("Mcp-Method", "TOOLS/CALL", 400),
        ("Mcp-Method", "", 400),
        ("MCP-Protocol-Version", "2025-11-25", 400),
        ("MCP-Protocol-Version", "", 400),
    ];
    for (name, value, status) in cases {
        let headers = with_header(call_headers("echo"), name, value);
        let (head, body) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "{name}: {value}");
        if status == 400 {
            assert_eq!(code(&body), -32020, "{name}: {value}");
            assert!(body.contains("\"id\":1"), "{body}");
        }
    }
    let mut twice = call_headers("echo");
    twice.push(("Mcp-Name", "echo".into()));
    let (head, body) = Raw::post(address, &twice, &call(1, "echo")).await;
    assert_eq!((head.status, code(&body)), (400, -32020));
}

#[tokio::test]
async fn errors_have_their_status_and_code() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let unknown = with_header(discover_headers(), "Mcp-Method", "unknown/method");
    let initialize = with_header(discover_headers(), "Mcp-Method", "initialize");
    let ping = with_header(discover_headers(), "Mcp-Method", "ping");
    let newer = with_header(discover_headers(), "MCP-Protocol-Version", "v999.0.0");
    let request = |method: &str| discover(META).replace("server/discover", method);
    let cases = [
        (discover_headers(), discover(META), 200, 0),
        (discover_headers(), discover(""), 400, -32602),
        (
            discover_headers(),
            r#"{"jsonrpc":"2.0","id":"d","method":"server/discover"}"#.into(),
            400,
            -32602,
        ),
        (
            discover_headers(),
            discover(&version("v999.0.0")),
            400,
            -32020,
        ),
        (newer, discover(&version("v999.0.0")), 400, -32022),
        (unknown, request("unknown/method"), 404, -32601),
        (initialize, request("initialize"), 404, -32601),
        (ping, request("ping"), 404, -32601),
        (discover_headers(), "{".into(), 400, -32700),
        (discover_headers(), "[]".into(), 400, -32600),
        (
            discover_headers(),
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into(),
            400,
            -32600,
        ),
        (discover_headers(), r#"{"id":1}"#.into(), 400, -32600),
    ];
    for (headers, body, status, expected) in cases {
        let (head, answer) = Raw::post(address, &headers, &body).await;
        assert_eq!(head.status, status, "{body} {answer}");
        if expected != 0 {
            assert_eq!(code(&answer), expected, "{body} {answer}");
        }
        if status == 404 || expected == -32022 {
            assert!(answer.contains(r#""id":"d""#), "{answer}");
        }
    }
}

#[tokio::test]
async fn method_that_a_fallback_does_not_know_is_not_found() {
    let unknown = async |_: AnyRequest| -> Result<AnyResult, HandlerError> {
        let error = ErrorObject::method_not_found("the server behind knows no such method");
        Err(HandlerError::from(error))
    };
    let (server, _probe) = server(|builder| builder.fallback(unknown));
    let headers = with_header(discover_headers(), "Mcp-Method", "unknown/method");
    let body = discover(META).replace("server/discover", "unknown/method");
    let (head, answer) = Raw::post(serve(&server), &headers, &body).await;
    assert_eq!((head.status, code(&answer)), (404, -32601), "{answer}");
}

#[tokio::test]
async fn notifications_are_accepted_without_a_body() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let body = r#"{"jsonrpc":"2.0","method":"notifications/whatever","params":{}}"#;
    let (head, text) = Raw::post(address, &media(), body).await;
    assert_eq!((head.status, text.as_str()), (202, ""));
}
