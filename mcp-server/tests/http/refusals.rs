//! The error texts of rejected requests: expected and actual values, and all errors at once.

use mcp_server::types::Revision;

use super::legacy::{PING, start_session, tool};
use super::subject::*;

/// Returns the error of a response.
fn error(body: &str) -> serde_json::Value {
    let message: serde_json::Value = serde_json::from_str(body).expect("JSON");
    message["error"].clone()
}

/// Checks that a POST is rejected with this status, code and text.
async fn rejected(
    address: std::net::SocketAddr,
    headers: &[(&'static str, String)],
    body: &str,
    expected: (u16, i64, &str),
) {
    let (head, answer) = Raw::post(address, headers, body).await;
    let error = error(&answer);
    let message = error["message"].as_str().expect("a message");
    assert_eq!((head.status, code(&answer), message), expected);
}

#[tokio::test]
async fn unsupported_protocol_version_has_the_same_error_with_and_without_a_session() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-06-18").await;
    let newest_first = Revision::ALL.iter().rev();
    let revisions: Vec<&str> = newest_first.map(|revision| revision.as_str()).collect();
    let revisions = revisions.join(", ");
    let text =
        format!("protocol version `2000-01-01` is not supported: expected one of {revisions}");
    for headers in [session.clone(), media()] {
        let headers = with_header(headers, "MCP-Protocol-Version", "2000-01-01");
        rejected(address, &headers, PING, (400, -32022, &text)).await;
    }
    let headers = with_header(session, "MCP-Protocol-Version", "2000-01-01");
    for method in ["GET", "DELETE"] {
        let (head, body) = Raw::connect(address).await.ask(method, &headers, "").await;
        let error = error(&body);
        assert_eq!((head.status, code(&body)), (400, -32022), "{method}");
        assert_eq!(error["message"], text);
        assert_eq!(error["data"]["requested"], "2000-01-01");
    }
}

#[tokio::test]
async fn newest_protocol_version_beside_an_older_one_is_rejected_in_a_session() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let mut headers = start_session(address, "2025-11-25").await;
    headers.push(("MCP-Protocol-Version", "2026-07-28".to_owned()));
    let text = "params lack `_meta.io.modelcontextprotocol/protocolVersion` and \
                `_meta.io.modelcontextprotocol/clientCapabilities`, which mcp-protocol-version \
                2026-07-28 requires; mcp-protocol-version is present more than once; mcp-method \
                is missing";
    rejected(address, &headers, PING, (400, -32602, text)).await;
}

#[tokio::test]
async fn all_missing_headers_are_reported_at_once() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let text = "header mismatch: mcp-protocol-version is missing; mcp-method is missing; \
                mcp-name is missing";
    rejected(address, &media(), &call(1, "echo"), (400, -32020, text)).await;

    let headers = with_header(call_headers("echo"), "Mcp-Name", "");
    let headers = with_header(headers, "Mcp-Method", "tools/list");
    let text = "header mismatch: mcp-method is \"tools/list\", but the body has \"tools/call\"; \
                mcp-name is missing";
    rejected(address, &headers, &call(1, "echo"), (400, -32020, text)).await;
}

#[tokio::test]
async fn missing_headers_and_members_of_meta_are_reported_at_once() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
    let text = "header mismatch: mcp-method is missing; mcp-name is missing; params lack \
                `_meta.io.modelcontextprotocol/clientCapabilities`";
    rejected(address, &headers, body, (400, -32020, text)).await;

    let text = "params lack `_meta.io.modelcontextprotocol/protocolVersion` and \
                `_meta.io.modelcontextprotocol/clientCapabilities`, which mcp-protocol-version \
                2026-07-28 requires; mcp-method is missing; mcp-name is missing";
    rejected(address, &headers, &tool(1, "echo"), (400, -32602, text)).await;

    let text = "params of `tools/call` lack `_meta.io.modelcontextprotocol/protocolVersion` and \
                `_meta.io.modelcontextprotocol/clientCapabilities`, and there was no `initialize`";
    rejected(address, &media(), &tool(1, "echo"), (400, -32602, text)).await;
}

#[tokio::test]
async fn unknown_session_tells_the_client_to_initialize_again() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let headers = with_header(media(), "Mcp-Session-Id", "guessed");
    let text = "the session in `Mcp-Session-Id` is unknown or has ended: send `initialize` again";
    for body in [PING, "{", "[]"] {
        rejected(address, &headers, body, (404, -32600, text)).await;
    }
    let (head, body) = Raw::connect(address)
        .await
        .ask("DELETE", &media(), "")
        .await;
    let text = "header `Mcp-Session-Id` is missing: expected the id of a session";
    assert_eq!((head.status, &error(&body)["message"]), (400, &text.into()));
}

#[tokio::test]
async fn rejected_headers_are_named_with_their_values() {
    let (server, _probe) = server(limits(|limits| limits.message_bytes = 1_000));
    let address = serve(&server);
    let both = "application/json and text/event-stream";
    let cases = [
        (
            ("Accept", "text/html"),
            (406, format!("`Accept` is `text/html`: expected {both}")),
        ),
        (
            ("Accept", ""),
            (406, format!("`Accept` is missing: expected {both}")),
        ),
        (
            ("Content-Type", "text/plain"),
            (
                415,
                "`Content-Type` is `text/plain`: expected application/json".to_owned(),
            ),
        ),
        (
            ("Host", "evil.example.com"),
            (
                403,
                "`Host` is `evil.example.com`: expected `localhost`, `127.0.0.1` or `[::1]`"
                    .to_owned(),
            ),
        ),
        (
            ("Origin", "https://evil.example.com"),
            (
                403,
                "`Origin` is `https://evil.example.com`: expected an origin that the server allows"
                    .to_owned(),
            ),
        ),
    ];
    for ((name, value), (status, text)) in cases {
        let headers = with_header(call_headers("echo"), name, value);
        let expected = (status, -32600, &*text);
        rejected(address, &headers, &call(1, "echo"), expected).await;
    }
    let body = format!("{:1$}", "", 1_001);
    let text = "the body has 1001 bytes or more: expected at most 1000";
    rejected(address, &call_headers("echo"), &body, (413, -32600, text)).await;
}

/// Sends all of a body before it reads the response, as most clients do. Returns the status.
async fn refused(
    address: std::net::SocketAddr,
    headers: &[(&'static str, String)],
    size: usize,
) -> Head {
    let mut raw = Raw::connect(address).await;
    raw.request("POST", headers, &"x".repeat(size)).await;
    // Longer than it takes the server to refuse the request and to close its side.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let head = raw.head().await;
    raw.body(&head).await;
    head
}

#[tokio::test]
async fn status_of_an_early_refusal_arrives_whatever_the_size_of_the_body() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for size in [100, 64 << 10, 3 << 20, 8 << 20] {
        for (name, value, status) in [
            ("Accept", "text/html", 406),
            ("Content-Type", "text/html", 415),
            ("Host", "evil.example", 403),
        ] {
            let head = refused(address, &with_header(media(), name, value), size).await;
            assert_eq!(head.status, status, "{size}");
            // After a small body, the connection can be used again.
            let close = (size > 64 << 10).then_some("close");
            assert_eq!(head.get("connection"), close, "{size}");
        }
    }
    let head = refused(address, &media(), 8 << 20).await;
    assert_eq!((head.status, head.get("connection")), (413, Some("close")));
}

#[tokio::test]
async fn connection_is_usable_after_a_refusal_with_a_small_body() {
    let (server, _probe) = server(|builder| builder);
    let mut raw = Raw::connect(serve(&server)).await;
    let refused = with_header(media(), "Accept", "text/html");
    for _ in 0..3 {
        let (head, _) = raw.ask("POST", &refused, PING).await;
        assert_eq!(head.status, 406);
    }
    let (head, _) = raw
        .ask("POST", &call_headers("echo"), &call(1, "echo"))
        .await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn client_that_waits_for_100_continue_gets_the_refusal_at_once() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let mut raw = Raw::connect(address).await;
    let head = "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n";
    let begun = std::time::Instant::now();
    raw.write(head.as_bytes()).await;
    let head = raw.head().await;
    assert_eq!((head.status, head.get("connection")), (403, Some("close")));
    assert!(begun.elapsed() < std::time::Duration::from_millis(900));
}
