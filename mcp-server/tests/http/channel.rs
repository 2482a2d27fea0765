//! The deprecated transport HTTP+SSE of revision 2024-11-05.

use std::net::SocketAddr;

use mcp_server::{HttpConfig, Server};

use super::legacy::{PING, initialize, tool};
use super::subject::*;

/// A client: its stream, and the path for its messages.
struct Channel {
    stream: Raw,
    address: SocketAddr,
    path: String,
}

fn json() -> Vec<(&'static str, String)> {
    with_header(media(), "Accept", "")
}

fn serve_sse(server: &Server) -> SocketAddr {
    serve_with(server, HttpConfig::new().http_sse("/sse"))
}

async fn get(address: SocketAddr, path: &str) -> (Raw, Head) {
    let mut raw = Raw::connect(address).await.at(path);
    let headers = with_header(Vec::new(), "Accept", "text/event-stream");
    raw.request("GET", &headers, "").await;
    let head = raw.head().await;
    (raw, head)
}

impl Channel {
    async fn open(address: SocketAddr, path: &str) -> Self {
        let (mut stream, head) = get(address, path).await;
        assert_eq!(head.status, 200);
        assert_eq!(head.get("content-type"), Some("text/event-stream"));
        assert_eq!(head.get("x-accel-buffering"), Some("no"));
        let first = stream.chunk().await;
        let first = first.strip_prefix("event: endpoint\ndata: ");
        let at = first.and_then(|first| first.strip_suffix("\n\n"));
        let at = at.expect("an address").to_owned();
        let id = at.strip_prefix(&format!("{path}?sessionId="));
        assert!(id.is_some_and(|id| id.len() >= 32), "{at}");
        Self {
            stream,
            address,
            path: at,
        }
    }

    async fn start_session(address: SocketAddr) -> Self {
        Self::start_session_as(address, "2024-11-05").await
    }

    async fn start_session_as(address: SocketAddr, revision: &str) -> Self {
        let mut channel = Self::open(address, "/sse").await;
        channel.post(&initialize(revision)).await;
        channel
            .until(&format!(r#""protocolVersion":"{revision}""#))
            .await;
        channel
            .post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        channel
    }

    async fn send(&self, headers: &[(&'static str, String)], body: &str) -> (Head, String) {
        let raw = Raw::connect(self.address).await;
        raw.at(&self.path).ask("POST", headers, body).await
    }

    async fn post(&self, body: &str) {
        let (head, text) = self.send(&json(), body).await;
        assert_eq!((head.status, text.as_str()), (202, ""));
    }

    async fn until(&mut self, text: &str) -> String {
        let read = self.stream.chunks_until(text).await;
        let is_comment = |event: &&str| event.starts_with(':');
        for event in read.split_terminator("\n\n").filter(|it| !is_comment(it)) {
            assert!(event.starts_with("event: message\ndata: {"), "{event}");
        }
        read
    }
}

#[tokio::test]
async fn http_sse_is_off_by_default() {
    let (server, _probe) = server(|builder| builder);
    let (_, head) = get(serve(&server), "/sse").await;
    assert_eq!(head.status, 400);
}

#[tokio::test]
async fn responses_to_posted_messages_are_sent_on_the_stream() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve_sse(&server);
    let mut channel = Channel::start_session(address).await;
    let mut other = Channel::start_session(address).await;
    assert_ne!(channel.path, other.path);
    channel.post(&tool(1, "say")).await;
    let read = channel.until("\"said\"").await;
    assert_eq!(read.matches("notifications/progress").count(), 2, "{read}");

    // A slow request does not block the others.
    channel.post(&tool(2, "wait")).await;
    soon(probe.waiting.recv()).await;
    channel.post(&tool(2, "echo")).await;
    channel.until("still in flight").await;
    channel.post(PING).await;
    channel
        .until(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#)
        .await;
    probe.go.notify_one();
    channel.until("\"waited\"").await;

    // The server sends a request and a notification.
    channel.post(&tool(3, "ask")).await;
    let asked = channel.until("roots/list").await;
    let (_, id) = asked.split_once(r#""id":"#).expect("an id");
    let id: String = id.chars().take_while(char::is_ascii_digit).collect();
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
    channel.post(&answer).await;
    channel.until("0 roots").await;
    server.tools_changed();
    for channel in [&mut channel, &mut other] {
        channel.until("notifications/tools/list_changed").await;
    }
    channel.post("{").await;
    channel.until("-32700").await;
}

#[tokio::test]
async fn http_sse_checks_headers_and_sizes() {
    let (server, _probe) = server(limits(|limits| limits.message_bytes = 10_000));
    let address = serve_sse(&server);
    let channel = Channel::start_session(address).await;
    let cases = [
        ("Host", "evil.example.com", 403),
        ("Origin", "http://evil.example.com", 403),
        ("Content-Type", "text/plain", 415),
    ];
    for (name, value, status) in cases {
        let (head, _) = channel.send(&with_header(json(), name, value), PING).await;
        assert_eq!(head.status, status, "{name}: {value}");
    }
    let (head, _) = channel.send(&json(), &tool(1, &"x".repeat(10_000))).await;
    assert_eq!(head.status, 413);
    let stream = with_header(Vec::new(), "Accept", "text/event-stream");
    let cases = [
        (with_header(stream.clone(), "Host", "evil.example.com"), 403),
        (
            with_header(stream.clone(), "Origin", "http://evil.example.com"),
            403,
        ),
        (
            with_header(stream.clone(), "Accept", "application/json"),
            406,
        ),
        (
            with_header(stream, "MCP-Protocol-Version", "2026-07-28"),
            405,
        ),
    ];
    for (headers, status) in cases {
        let mut raw = Raw::connect(address).await.at("/sse");
        let (head, _) = raw.ask("GET", &headers, "").await;
        assert_eq!(head.status, status, "{headers:?}");
    }
    for path in ["/sse?sessionId=guessed", "/sse?sessionId="] {
        let mut raw = Raw::connect(address).await.at(path);
        let (head, _) = raw.ask("POST", &json(), PING).await;
        assert_eq!(head.status, 404, "{path}");
    }
}

#[tokio::test]
async fn closing_the_stream_ends_its_requests_and_frees_the_channel() {
    let (server, mut probe) = server(limits(|limits| limits.sessions = 1));
    let address = serve_sse(&server);
    let channel = Channel::start_session(address).await;
    let (_, head) = get(address, "/sse").await;
    assert_eq!(head.status, 503, "one too many");
    channel.post(&tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    let Channel { stream, path, .. } = channel;
    drop(stream);
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    let mut raw = Raw::connect(address).await.at(&path);
    let (head, _) = raw.ask("POST", &json(), PING).await;
    assert_eq!(head.status, 404);
    Channel::start_session(address).await;
}

#[tokio::test]
async fn client_that_does_not_read_blocks_only_its_own_handler() {
    let (server, mut probe) = server(limits(|limits| {
        limits.queued_bytes = 64 << 10;
        limits.request_time = std::time::Duration::from_secs(2);
    }));
    let address = serve_sse(&server);
    // The previous revision has no messages in progress notifications.
    let mut slow = Channel::start_session_as(address, "2025-03-26").await;
    slow.post(&tool(1, "torrent")).await;
    let mut quick = Channel::start_session(address).await;
    quick.post(&tool(1, "say")).await;
    quick.until("\"said\"").await;
    // The handler is blocked until it times out.
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("torrent"));
    // Messages of such a client are not accepted either.
    let (head, _) = slow.send(&json(), PING).await;
    assert_eq!(head.status, 503);
    let read = slow.until("took too long").await;
    let count = read.matches("notifications/progress").count();
    assert!(count > 10 && count < 128, "{count}");
    slow.post(PING).await;
    slow.until(r#""id":5"#).await;
}

#[tokio::test]
async fn requests_of_channels_count_towards_the_limit_of_requests() {
    let (server, mut probe) = server(limits(|limits| limits.concurrent_requests = 1));
    let address = serve_sse(&server);
    let mut channel = Channel::start_session(address).await;
    channel.post(&tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    let (head, _) = channel.send(&json(), PING).await;
    assert_eq!(head.status, 503);
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.status, 503);
    probe.go.notify_one();
    channel.until("\"waited\"").await;
}

#[tokio::test]
async fn idle_stream_gets_comments_and_ends_on_shutdown() {
    let (server, mut probe) = server(limits(|limits| {
        limits.keep_alive = std::time::Duration::from_millis(10);
    }));
    let mut channel = Channel::open(serve_sse(&server), "/sse").await;
    for _ in 0..3 {
        assert!(channel.stream.chunk().await.starts_with(':'));
    }
    channel.post(&initialize("2024-11-05")).await;
    channel.post(&tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    server.shutdown();
    probe.go.notify_one();
    channel.stream.chunks_until("\"waited\"").await;
    channel.stream.rest().await;
}

#[tokio::test]
async fn comments_do_not_delay_shutdown() {
    let (server, mut probe) = server(limits(|limits| {
        limits.keep_alive = std::time::Duration::from_millis(10);
        limits.grace_time = std::time::Duration::from_millis(200);
    }));
    let mut channel = Channel::start_session(serve_sse(&server)).await;
    channel.post(&tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    server.shutdown();
    channel.stream.rest().await;
}

#[tokio::test]
async fn http_sse_can_share_the_path_of_streamable_http() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, HttpConfig::new().http_sse("/mcp"));
    let channel = Channel::open(address, "/mcp").await;
    channel.post(&initialize("2024-11-05")).await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.status, 200);
    let session = super::legacy::start_session(address, "2025-11-25").await;
    let mut received = super::legacy::listen(address, &session).await;
    server.tools_changed();
    received
        .chunks_until("notifications/tools/list_changed")
        .await;
    let (head, _) = Raw::post(address, &session, PING).await;
    assert_eq!(head.status, 200);
    let (head, _) = Raw::post(address, &media(), PING.replace("ping", "x").as_str()).await;
    assert_eq!(head.status, 400, "without a session");
}
