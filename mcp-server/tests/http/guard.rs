//! Rejected requests, with their status and error.

use mcp_server::{Http, HttpConfig, ServeError};

use super::legacy::{PING, initialize, start_session, tool};
use super::subject::*;

#[tokio::test]
async fn unsupported_http_methods_return_405() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for method in ["PUT", "PATCH", "OPTIONS"] {
        let (head, body) = Raw::connect(address).await.ask(method, &media(), "").await;
        assert_eq!(head.status, 405, "{method}");
        assert!(
            head.get("allow")
                .is_some_and(|allow| allow.contains("POST"))
        );
        assert_eq!(code(&body), -32600);
    }
    let modern = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
    for method in ["GET", "DELETE"] {
        let (head, _) = Raw::connect(address).await.ask(method, &modern, "").await;
        assert_eq!(head.status, 405, "{method}");
    }
}

#[tokio::test]
async fn media_types_are_parsed_and_not_compared_as_text() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let accept = [
        ("application/json, text/event-stream", 200),
        ("text/event-stream;q=0.9,application/json", 200),
        ("Application/JSON, TEXT/*", 200),
        ("*/*", 200),
        ("application/json", 200),
        ("text/event-stream", 200),
        ("application/json;q=0, text/event-stream", 200),
        ("*/*, text/*;q=0", 200),
        ("*/*;q=0, application/json", 200),
        ("application/json;q=0, text/*; q=0.000", 406),
        ("*/*; Q=0", 406),
        ("text/html", 406),
        ("application/jsonp, text/event-streams", 406),
        ("", 406),
    ];
    for (value, status) in accept {
        let headers = with_header(call_headers("echo"), "Accept", value);
        let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "Accept: {value}");
    }
    let content = [
        ("application/json", 200),
        ("Application/Json; charset=utf-8", 200),
        ("application/json;charset=\"utf-8\"", 200),
        ("text/plain; x=application/json", 415),
        ("application/json-seq", 415),
        ("text/plain", 415),
        ("", 415),
    ];
    for (value, status) in content {
        let headers = with_header(call_headers("echo"), "Content-Type", value);
        let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "Content-Type: {value}");
    }
}

#[tokio::test]
async fn foreign_hosts_and_origins_return_403() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let cases = [
        ("localhost", "", 200),
        ("LOCALHOST:1", "", 200),
        ("[::1]:80", "http://[::1]:3000", 200),
        ("127.0.0.1", "https://localhost:9", 200),
        ("evil.example.com", "", 403),
        ("evil.example.com", "http://evil.example.com", 403),
        ("localhost", "http://evil.example.com", 403),
        ("localhost", "http://localhost.evil.example.com", 403),
        ("localhost", "http://localhost:80@evil.example.com", 403),
        ("localhost", "null", 403),
        ("localhost.evil.example.com", "", 403),
    ];
    for (host, origin, status) in cases {
        let headers = with_header(call_headers("echo"), "Host", host);
        let headers = with_header(headers, "Origin", origin);
        let (head, body) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "{host} {origin}");
        if status == 403 {
            assert_eq!(code(&body), -32600);
            assert!(!body.contains("\"id\""), "{body}");
        }
    }
}

#[tokio::test]
async fn allowed_hosts_and_origins_are_accepted() {
    let (server, _probe) = server(|builder| builder);
    let config = HttpConfig::new()
        .allow_hosts(["mcp.example.com", "other.example.com:8443"])
        .allow_origins(["https://app.example.com"]);
    let listed = serve_with(&server, config);
    let any = serve_with(&server, HttpConfig::new().any_host());
    let cases = [
        (listed, "mcp.example.com", "", 200),
        (listed, "MCP.example.com:81", "https://app.example.com", 200),
        (
            listed,
            "other.example.com:8443",
            "https://mcp.example.com",
            200,
        ),
        (listed, "other.example.com:1", "", 403),
        (listed, "localhost", "", 403),
        (listed, "mcp.example.com", "http://app.example.com", 403),
        (any, "whatever.example.com", "", 200),
        (
            any,
            "whatever.example.com",
            "http://whatever.example.com",
            403,
        ),
    ];
    for (address, host, origin, status) in cases {
        let headers = with_header(call_headers("echo"), "Host", host);
        let headers = with_header(headers, "Origin", origin);
        let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "{host} {origin}");
    }
}

#[tokio::test]
async fn public_address_requires_allowed_hosts() {
    let (server, _probe) = server(|builder| builder);
    let error = server
        .serve_http("0.0.0.0:0")
        .expect_err("nothing is allowed");
    assert!(matches!(error, ServeError::NoHosts(_)), "{error}");
    assert!(error.to_string().contains("allow_hosts"), "{error}");
    let config = HttpConfig::new().allow_hosts(["mcp.example.com"]);
    assert!(
        server
            .serve_http(Http::at("0.0.0.0:0").config(config))
            .is_ok()
    );
}

#[tokio::test]
async fn large_bodies_and_heads_are_rejected() {
    let (server, _probe) = server(limits(|limits| {
        limits.message_bytes = 1_000;
        limits.header_bytes = 8 << 10;
    }));
    let address = serve(&server);
    let body = call(1, &"x".repeat(1_000));
    let (head, text) = Raw::post(address, &call_headers("echo"), &body).await;
    assert_eq!((head.status, code(&text)), (413, -32600));

    // Without a length, the limit applies while the body is read.
    let mut raw = Raw::connect(address).await;
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: */*\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    raw.write(head.as_bytes()).await;
    raw.write(format!("3e9\r\n{}\r\n", " ".repeat(1_001)).as_bytes())
        .await;
    assert_eq!(raw.head().await.status, 413);

    let headers = with_header(call_headers("echo"), "X-Large", &"x".repeat(16 << 10));
    let (head, _) = Raw::post(address, &headers, "").await;
    assert_eq!(head.status, 431);
}

#[tokio::test]
async fn request_beyond_the_limit_gets_retry_after() {
    let (server, mut probe) = server(limits(|limits| limits.concurrent_requests = 1));
    let address = serve(&server);
    let mut first = Raw::connect(address).await;
    first
        .request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    let (head, body) = Raw::post(address, &call_headers("echo"), &call(2, "echo")).await;
    assert_eq!((head.status, code(&body)), (503, -32603));
    assert!(head.get("retry-after").is_some());
    probe.go.notify_one();
    assert_eq!(first.head().await.status, 200);
    // The permit is free again: its request has been answered.
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(3, "echo")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn missing_body_times_out() {
    let (server, _probe) = server(limits(|limits| {
        limits.request_time = std::time::Duration::from_millis(50);
    }));
    let mut raw = Raw::connect(serve(&server)).await;
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 9\r\n\r\n{";
    raw.write(head.as_bytes()).await;
    assert_eq!(raw.head().await.status, 408);
}

#[tokio::test]
async fn get_requires_accept_of_events() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = super::legacy::start_session(address, "2025-11-25").await;
    for (accept, status) in [
        ("application/json", 406),
        ("", 406),
        ("text/event-stream", 200),
        ("text/*;q=0.5", 200),
    ] {
        let mut raw = Raw::connect(address).await;
        raw.request("GET", &with_header(session.clone(), "Accept", accept), "")
            .await;
        assert_eq!(raw.head().await.status, status, "Accept: {accept}");
    }
}

#[tokio::test(start_paused = true)]
async fn connection_without_a_request_head_is_closed() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let mut connection = Raw::connect(address).await;
    let (head, _) = connection
        .ask("POST", &call_headers("echo"), &call(1, "echo"))
        .await;
    assert_eq!(head.status, 200);
    let start = tokio::time::Instant::now();
    while connection.anything().await {}
    let idle = start.elapsed().as_secs();
    assert!((60..65).contains(&idle), "after {idle} s");
}

#[tokio::test]
async fn response_has_the_only_form_that_the_client_accepts() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    for (accept, media, start) in [
        ("application/json", "application/json", "{"),
        ("text/event-stream", "text/event-stream", "data: {"),
        ("*/*, application/json;q=0", "text/event-stream", "data: {"),
    ] {
        let modern = with_header(call_headers("echo"), "Accept", accept);
        let legacy = with_header(session.clone(), "Accept", accept);
        for (headers, message) in [(modern, call(1, "echo")), (legacy, tool(2, "echo"))] {
            let (head, body) = Raw::post(address, &headers, &message).await;
            assert_eq!((head.status, head.get("content-type")), (200, Some(media)));
            assert!(body.starts_with(start), "{accept}: {body}");
        }
        let headers = with_header(self::media(), "Accept", accept);
        let (head, body) = Raw::post(address, &headers, &initialize("2025-11-25")).await;
        assert_eq!(head.get("content-type"), Some(media), "{body}");
    }
    // The notifications of a modern request are dropped, and a question cannot be sent.
    let json = with_header(call_headers("torrent"), "Accept", "application/json");
    let (head, body) = Raw::post(address, &json, &call(3, "torrent")).await;
    assert_eq!(
        (head.status, head.get("content-type")),
        (200, Some("application/json"))
    );
    assert!(body.contains("\"id\":3"), "{body}");
    let legacy = with_header(session, "Accept", "application/json");
    let (head, _) = Raw::post(address, &legacy, &tool(4, "ask")).await;
    assert_eq!(head.status, 406);
}

#[tokio::test]
async fn timeout_is_one_message_for_a_client_that_accepts_only_json() {
    let (server, _probe) = server(limits(|limits| {
        limits.request_time = std::time::Duration::from_millis(200);
    }));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let json = with_header(session, "Accept", "application/json");
    let (head, body) = Raw::post(address, &json, &tool(1, "wait")).await;
    assert_eq!(head.status, 200, "{body}");
    assert!(body.contains("took too long"), "{body}");
}

#[tokio::test]
async fn compressed_body_returns_415() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for (encoding, status) in [("gzip", 415), ("identity", 200), ("identity, br", 415)] {
        let headers = with_header(call_headers("echo"), "Content-Encoding", encoding);
        let (head, body) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "{encoding}: {body}");
        let expected = (status == 415).then_some("identity");
        assert_eq!(head.get("accept-encoding"), expected);
    }
}

#[tokio::test]
async fn metadata_that_does_not_exist_returns_404() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
    ] {
        for method in ["GET", "POST"] {
            let mut raw = Raw::connect(address).await.at(path);
            let (head, _) = raw.ask(method, &media(), "").await;
            assert_eq!(head.status, 404, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn initialize_with_the_id_of_an_ended_session_begins_a_new_one() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let ended = with_header(
        media(),
        "Mcp-Session-Id",
        "0123456789abcdef0123456789abcdef",
    );
    let (head, body) = Raw::post(address, &ended, &initialize("2025-11-25")).await;
    assert_eq!(head.status, 200, "{body}");
    assert!(
        head.get("mcp-session-id")
            .is_some_and(|id| !id.starts_with("0123456789"))
    );
    let (head, _) = Raw::post(address, &ended, PING).await;
    assert_eq!(head.status, 404);
}
