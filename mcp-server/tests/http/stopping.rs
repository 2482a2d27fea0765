//! Messages that are still accepted during shutdown: responses that handlers wait for, and
//! cancellations of requests in flight.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::{Http, HttpConfig, ServeError, Server};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::legacy::*;
use super::shutdown::new_work;
use super::subject::*;

/// Longer than any test, so that waiting for it fails the test.
const NEVER: Duration = Duration::from_secs(3_600);

/// A server that would wait forever for its handlers and for new connections.
fn patient_server() -> (Server, Probe) {
    server(limits(|limits| {
        limits.grace_time = NEVER;
        limits.header_time = NEVER;
    }))
}

fn start_serving(server: &Server) -> (SocketAddr, JoinHandle<Result<(), ServeError>>) {
    let config = HttpConfig::new().http_sse("/sse");
    let http = server.serve_http(Http::at("127.0.0.1:0").config(config));
    let http = http.expect("bound");
    let address = http.local_addr();
    (address, tokio::spawn(http))
}

/// Returns the client's response to the request `roots/list` that is the last message in a text of
/// events.
fn roots_answer(events: &str) -> Value {
    let (_, id) = events
        .rsplit_once(r#""id":"#)
        .expect("a request of the server");
    let id: String = id.chars().take_while(char::is_ascii_digit).collect();
    let id: u64 = id.parse().expect("a number");
    json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": [] } })
}

/// Calls the tool `ask`. Returns the connection, the head of the response, and the client response
/// for which the handler waits.
async fn ask(address: SocketAddr, session: &[(&'static str, String)]) -> (Raw, Head, Value) {
    let mut raw = start(address, session, &tool(1, "ask")).await;
    let head = raw.head().await;
    let events = raw.chunks_until("roots/list").await;
    (raw, head, roots_answer(&events))
}

#[tokio::test]
async fn client_responses_are_accepted_during_shutdown() {
    for revision in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let (server, _probe) = patient_server();
        let (address, serving) = start_serving(&server);
        let session = start_session(address, revision).await;
        let (mut raw, head, answer) = ask(address, &session).await;
        server.shutdown();
        let (answered, body) = Raw::post(address, &session, &answer.to_string()).await;
        assert_eq!((answered.status, body.as_str()), (202, ""), "{revision}");
        let rest = raw.body(&head).await;
        assert!(rest.contains("\"0 roots\""), "{revision}: {rest}");
        soon(serving).await.expect("no panic").expect("no fault");
    }
}

#[tokio::test]
async fn client_response_whose_body_arrives_during_shutdown_is_accepted() {
    let (server, _probe) = patient_server();
    let (address, serving) = start_serving(&server);
    let session = start_session(address, "2025-11-25").await;
    let (mut raw, head, answer) = ask(address, &session).await;
    let answer = answer.to_string();
    let (first, rest) = answer.split_at(answer.len() / 2);
    let mut answering = Raw::connect(address).await;
    let mut text = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\n");
    for (name, value) in &session {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!(
        "Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        answer.len()
    ));
    answering.write(text.as_bytes()).await;
    // The server is reading the body.
    assert_eq!(answering.head().await.status, 100);
    answering.write(first.as_bytes()).await;
    server.shutdown();
    answering.write(rest.as_bytes()).await;
    assert_eq!(answering.head().await.status, 202);
    assert!(raw.body(&head).await.contains("\"0 roots\""));
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn cancellations_are_accepted_during_shutdown() {
    for revision in ["2025-11-25", "2025-03-26"] {
        let (server, mut probe) = patient_server();
        let (address, serving) = start_serving(&server);
        let session = start_session(address, revision).await;
        let _raw = start(address, &session, &tool(7, "wait")).await;
        soon(probe.waiting.recv()).await;
        server.shutdown();
        cancel(address, &session, 7).await;
        assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
        soon(serving).await.expect("no panic").expect("no fault");
    }
}

#[tokio::test]
async fn new_connections_get_503_for_new_work_during_shutdown() {
    let (server, mut probe) = patient_server();
    let (address, serving) = start_serving(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut waiting = start(address, &session, &tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    server.shutdown();
    for (method, headers, body) in new_work(&session) {
        let mut raw = Raw::connect(address).await;
        let (head, _) = raw.ask(method, &headers, &body).await;
        assert_eq!(head.status, 503, "{method} {body}");
        assert!(head.get("retry-after").is_some());
    }
    // In this revision a client cancels a request by closing the stream of its response. The
    // notification is accepted, as it is while the server runs.
    let headers = with_header(call_headers(""), "Mcp-Name", "");
    let headers = with_header(headers, "Mcp-Method", "notifications/cancelled");
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let (head, _) = Raw::post(address, &headers, cancelled).await;
    assert_eq!(head.status, 202);
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 503);
    // A connected client that sends nothing does not delay the shutdown.
    let mut silent = Raw::connect(address).await;
    probe.go.notify_one();
    let head = waiting.head().await;
    assert!(waiting.body(&head).await.contains("waited"));
    soon(serving).await.expect("no panic").expect("no fault");
    assert!(silent.is_closed().await);
}

#[tokio::test]
async fn requests_in_a_batch_with_a_response_are_rejected_individually_during_shutdown() {
    let (server, _probe) = patient_server();
    let (address, serving) = start_serving(&server);
    let session = start_session(address, "2025-03-26").await;
    let (mut raw, head, answer) = ask(address, &session).await;
    server.shutdown();
    let ping: Value = serde_json::from_str(PING).expect("JSON");
    let alone = json!([ping]).to_string();
    let (refused, _) = Raw::post(address, &session, &alone).await;
    assert_eq!(refused.status, 503);
    let both = json!([ping, answer]).to_string();
    let (answered, body) = Raw::post(address, &session, &both).await;
    assert_eq!(answered.status, 200, "{body}");
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(body.as_array().map(Vec::len), Some(1), "{body}");
    assert_eq!(
        (&body[0]["id"], &body[0]["error"]["code"]),
        (&json!(5), &json!(-32603))
    );
    assert!(raw.body(&head).await.contains("\"0 roots\""));
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn channel_accepts_client_responses_and_cancellations_during_shutdown() {
    let (server, mut probe) = patient_server();
    let (address, serving) = start_serving(&server);
    let mut stream = Raw::connect(address).await.at("/sse");
    let accept = with_header(Vec::new(), "Accept", "text/event-stream");
    stream.request("GET", &accept, "").await;
    stream.head().await;
    let first = stream.chunk().await;
    let path = first.trim_end().rsplit_once(' ').expect("an address").1;
    let post = async |body: &str| {
        let mut raw = Raw::connect(address).await.at(path);
        let json = with_header(media(), "Accept", "");
        raw.ask("POST", &json, body).await.0.status
    };
    assert_eq!(post(&initialize("2024-11-05")).await, 202);
    assert_eq!(post(&tool(1, "wait")).await, 202);
    soon(probe.waiting.recv()).await;
    assert_eq!(post(&tool(2, "ask")).await, 202);
    let events = stream.chunks_until("roots/list").await;
    server.shutdown();
    assert_eq!(post(PING).await, 503);
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(post(cancelled).await, 202);
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    assert_eq!(post(&roots_answer(&events).to_string()).await, 202);
    let rest = stream.rest().await;
    assert!(rest.contains("\"0 roots\""), "{rest}");
    assert!(!rest.contains(r#""id":5"#), "{rest}");
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn drain_lets_axum_accept_client_responses_until_no_request_is_in_flight() {
    let (server, _probe) = patient_server();
    let service = server.clone().into_service(HttpConfig::new());
    let app = axum::Router::new().fallback_service(service);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stopping = server.clone();
    let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
        let _ = stopped.await;
        stopping.drain().await;
    });
    let serving = tokio::spawn(std::future::IntoFuture::into_future(serving));
    let session = start_session(address, "2025-11-25").await;
    let (mut raw, head, answer) = ask(address, &session).await;
    let mut received = listen(address, &session).await;
    stop.send(()).expect("axum waits");
    // It ends when the shutdown begins.
    received.rest().await;
    let (answered, _) = Raw::post(address, &session, &answer.to_string()).await;
    assert_eq!(answered.status, 202);
    assert!(raw.body(&head).await.contains("\"0 roots\""));
    soon(serving).await.expect("no panic").expect("no fault");
}
