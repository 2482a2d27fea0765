//! Sessions of the revisions from 2025-03-26 to 2025-11-25.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use mcp_server::{Bus, BusMessage, BusReceiver, HttpConfig, MemoryEvents, MemorySessions};

use crate::raw::*;

fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

async fn begin(address: SocketAddr, revision: &str) -> Vec<(&'static str, String)> {
    let (head, body) = Raw::post(address, &media(), &initialize(revision)).await;
    assert_eq!(head.status, 200, "{body}");
    assert!(
        body.contains(&format!(r#""protocolVersion":"{revision}""#)),
        "{body}"
    );
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    assert!(
        id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_graphic()),
        "{id}"
    );
    let headers = with(media(), "Mcp-Session-Id", &id);
    let headers = with(headers, "MCP-Protocol-Version", revision);
    let told = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let (head, body) = Raw::post(address, &headers, told).await;
    assert_eq!((head.status, body.as_str()), (202, ""));
    headers
}

fn tool(id: u32, name: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","_meta":{{"progressToken":"p"}}}}}}"#
    )
}

const PING: &str = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;

#[tokio::test]
async fn a_session_lives_from_initialize_to_delete() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = begin(address, "2025-11-25").await;
    let (head, body) = Raw::post(address, &session, PING).await;
    assert_eq!(
        (head.status, body.as_str()),
        (200, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#)
    );
    let (head, body) = Raw::post(address, &session, &tool(1, "echo")).await;
    assert_eq!(head.get("content-type"), Some("application/json"));
    assert!(
        body.contains("\"echo\"") && !body.contains("resultType"),
        "{body}"
    );
    let unknown = r#"{"jsonrpc":"2.0","id":6,"method":"unknown/method"}"#;
    let (head, body) = Raw::post(address, &session, unknown).await;
    assert_eq!((head.status, code(&body)), (200, -32601));
    // Two eras on one endpoint.
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.status, 200);

    let (head, _) = Raw::connect(address)
        .await
        .ask("DELETE", &session, "")
        .await;
    assert_eq!(head.status, 204);
    let (head, _) = Raw::post(address, &session, PING).await;
    assert_eq!(head.status, 404);
    let (head, _) = Raw::connect(address).await.ask("GET", &session, "").await;
    assert_eq!(head.status, 404);
}

#[tokio::test]
async fn requests_without_a_session_or_with_a_wrong_version_are_refused() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = begin(address, "2025-06-18").await;
    let (head, _) = Raw::post(address, &media(), &tool(1, "echo")).await;
    assert_eq!(head.status, 400);
    for method in ["GET", "DELETE"] {
        let (head, _) = Raw::connect(address).await.ask(method, &media(), "").await;
        assert_eq!(head.status, 400, "{method}");
    }
    for (version, status) in [
        ("", 200),
        ("2025-03-26", 200),
        ("2000-01-01", 400),
        ("x", 400),
    ] {
        let headers = with(session.clone(), "MCP-Protocol-Version", version);
        let (head, _) = Raw::post(address, &headers, PING).await;
        assert_eq!(head.status, status, "{version}");
    }
    let headers = with(session.clone(), "Mcp-Session-Id", "guessed");
    let (head, _) = Raw::post(address, &headers, PING).await;
    assert_eq!(head.status, 404);
}

#[tokio::test]
async fn batches_are_for_the_revision_that_has_them() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let batch = format!("[{PING},{}]", tool(1, "echo"));
    let session = begin(address, "2025-03-26").await;
    let (head, body) = Raw::post(address, &session, &batch).await;
    assert_eq!(head.status, 200);
    let answers: Vec<serde_json::Value> = serde_json::from_str(&body).expect("an array");
    assert_eq!(answers.len(), 2, "{body}");
    let told = r#"[{"jsonrpc":"2.0","method":"notifications/whatever"}]"#;
    let (head, _) = Raw::post(address, &session, told).await;
    assert_eq!(head.status, 202);
    let session = begin(address, "2025-06-18").await;
    let (head, body) = Raw::post(address, &session, &batch).await;
    assert_eq!((head.status, code(&body)), (400, -32600));
}

#[tokio::test]
async fn a_client_that_goes_does_not_cancel_but_says_so() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = begin(address, "2025-11-25").await;
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &session, &tool(3, "say_and_wait"))
        .await;
    raw.head().await;
    soon(probe.waiting.recv()).await;
    drop(raw);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#;
    let (head, _) = Raw::post(address, &session, cancel).await;
    assert_eq!(head.status, 202);
    assert!(probe.dropped.try_recv().is_err(), "nobody cancelled it");
    let cancel = cancel.replace('4', "3");
    let (head, _) = Raw::post(address, &session, &cancel).await;
    assert_eq!(head.status, 202);
    assert_eq!(
        soon(probe.dropped.recv()).await.as_deref(),
        Some("say_and_wait")
    );
}

/// The ids of the events in a text.
fn ids(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("id: "))
        .collect()
}

#[tokio::test]
async fn a_stream_that_broke_goes_on_where_it_was() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = begin(address, "2025-11-25").await;
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &session, &tool(3, "say_and_wait"))
        .await;
    let head = raw.head().await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    let mut read = raw.chunk().await;
    assert!(
        read.contains("retry: ") && read.contains("data: \n"),
        "{read}"
    );
    while !read.contains("notifications/progress") {
        read.push_str(&raw.chunk().await);
    }
    soon(probe.waiting.recv()).await;
    let ids = ids(&read);
    let (first, last) = (ids[0].to_owned(), ids[1].to_owned());
    assert_ne!(first, last);
    drop(raw);
    probe.go.notify_one();

    let resume = with(session.clone(), "Last-Event-ID", &last);
    let (head, rest) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert_eq!(head.status, 200);
    assert!(rest.contains("said and waited"), "{rest}");
    assert!(!rest.contains("notifications/progress"), "{rest}");
    // From the beginning, all of it again.
    let resume = with(session.clone(), "Last-Event-ID", &first);
    let (_, rest) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert!(
        rest.contains("notifications/progress") && rest.contains("said and waited"),
        "{rest}"
    );
    let resume = with(session, "Last-Event-ID", "nonsense");
    let (head, _) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert_eq!(head.status, 400);
}

#[tokio::test]
async fn a_handler_sends_the_client_to_poll() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = begin(address, "2025-11-25").await;
    let (head, body) = Raw::connect(address)
        .await
        .ask("POST", &session, &tool(3, "poll"))
        .await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    assert!(
        body.starts_with("id: ") && body.contains("retry: "),
        "{body}"
    );
    assert!(!body.contains("polled"), "{body}");
    soon(probe.waiting.recv()).await;
    // It comes before there is an answer.
    let resume = with(session, "Last-Event-ID", ids(&body)[0]);
    let mut raw = Raw::connect(address).await;
    raw.request("GET", &resume, "").await;
    let head = raw.head().await;
    probe.go.notify_one();
    assert!(raw.body(&head).await.contains("\"polled\""));
}

#[tokio::test]
async fn announcements_come_on_the_stream_of_get_and_only_the_newest() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let session = begin(address, "2025-11-25").await;
    let mut first = Raw::connect(address).await;
    first.request("GET", &session, "").await;
    let head = first.head().await;
    assert_eq!(head.status, 200);
    let mut read = first.chunk().await;
    server.tools_changed();
    while !read.contains("notifications/tools/list_changed") {
        read.push_str(&first.chunk().await);
    }
    let mut second = Raw::connect(address).await;
    second.request("GET", &session, "").await;
    second.head().await;
    // The first one ends.
    first.body(&head).await;
    server.tools_changed();
    let mut read = String::new();
    while !read.contains("notifications/tools/list_changed") {
        read.push_str(&second.chunk().await);
    }
}

#[tokio::test]
async fn sessions_expire_and_are_bounded() {
    let (idle, _probe) = server(limits(|limits| limits.session_idle_time = Duration::ZERO));
    let address = serve(&idle);
    let (head, _) = Raw::post(address, &media(), &initialize("2025-11-25")).await;
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    let (head, _) = Raw::post(address, &with(media(), "Mcp-Session-Id", &id), PING).await;
    assert_eq!(head.status, 404);

    let (few, mut probe) = server(limits(|limits| limits.sessions = 1));
    let address = serve(&few);
    let first = begin(address, "2025-11-25").await;
    let second = begin(address, "2025-11-25").await;
    let (head, _) = Raw::post(address, &first, PING).await;
    assert_eq!(head.status, 404, "the idle one gave way");
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &second, &tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    let (head, _) = Raw::post(address, &media(), &initialize("2025-11-25")).await;
    assert_eq!(head.status, 503, "the busy one stays");
}

/// A bus in one process.
#[derive(Default)]
struct Shared(Mutex<Vec<Weak<dyn BusReceiver>>>);

impl Bus for Shared {
    fn publish(&self, message: BusMessage) {
        let receivers = self.0.lock().expect("sound").clone();
        for receiver in receivers.iter().filter_map(Weak::upgrade) {
            receiver.receive(message.clone());
        }
    }

    fn attach(&self, receiver: Weak<dyn BusReceiver>) {
        self.0.lock().expect("sound").push(receiver);
    }
}

#[tokio::test]
async fn two_processes_serve_one_session() {
    let bus = Arc::new(Shared::default());
    let config = HttpConfig::new()
        .session_store(Arc::new(MemorySessions::new()))
        .event_store(Arc::new(MemoryEvents::new(16)));
    let (one, mut probe) = server(|builder| builder.bus(bus.clone()));
    let (two, _probe) = server(|builder| builder.bus(bus.clone()));
    let at_one = serve_with(&one, config.clone());
    let at_two = serve_with(&two, config);
    let session = begin(at_one, "2025-11-25").await;
    let (head, _) = Raw::post(at_two, &session, PING).await;
    assert_eq!(head.status, 200);

    // A stream that began at one is resumed at the other.
    let mut raw = Raw::connect(at_one).await;
    raw.request("POST", &session, &tool(3, "say_and_wait"))
        .await;
    raw.head().await;
    let read = raw.chunk().await;
    soon(probe.waiting.recv()).await;
    drop(raw);
    let resume = with(session.clone(), "Last-Event-ID", ids(&read)[0]);
    let mut raw = Raw::connect(at_two).await;
    raw.request("GET", &resume, "").await;
    let head = raw.head().await;
    probe.go.notify_one();
    assert!(raw.body(&head).await.contains("said and waited"));

    // A request at one is cancelled at the other, and so is the session.
    let mut raw = Raw::connect(at_one).await;
    raw.request("POST", &session, &tool(4, "wait")).await;
    soon(probe.waiting.recv()).await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#;
    Raw::post(at_two, &session, cancel).await;
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    Raw::connect(at_two).await.ask("DELETE", &session, "").await;
    let (head, _) = Raw::post(at_one, &session, PING).await;
    assert_eq!(head.status, 404);
}
