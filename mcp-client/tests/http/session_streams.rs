//! Streams of servers of the revisions with sessions.

use std::time::{Duration, Instant};

use mcp_client::types::Root;
use mcp_client::{Client, HttpError};
use serde_json::json;

use super::fake::*;
use super::sessions::{NEWEST, list, listening, one, one_tool};

#[tokio::test]
async fn interrupted_response_stream_is_resumed() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let listing = list(&client);
    let mut asked = fake.message("tools/list").await;
    let answer = asked.result_message(&one_tool());
    asked.events().await;
    asked.write("id: a1\nretry: 1\ndata:\n\n").await;
    drop(asked);
    // Once more, like a server that wants the client to poll.
    let mut again = fake.bare("GET").await;
    assert_eq!(again.header("last-event-id"), Some("a1"));
    assert_eq!(again.header("mcp-session-id"), Some("one"));
    again.events().await;
    again.write("id: a2\ndata:\n\n").await;
    drop(again);
    let again = fake.bare("GET").await;
    assert_eq!(again.header("last-event-id"), Some("a2"));
    // The server is temporarily unavailable.
    drop(again);
    let mut again = fake.bare("GET").await;
    assert_eq!(again.header("last-event-id"), Some("a2"));
    again.events().await;
    again.event(&answer).await;
    one(listing).await;

    // Without an event id, the stream cannot be resumed.
    let listing = list(&client);
    let mut asked = fake.message("tools/list").await;
    asked.events().await;
    asked.write(": nothing\n\n").await;
    drop(asked);
    let error = soon(listing).await.expect("no panic").expect_err("cut off");
    assert!(matches!(http(&error), HttpError::NoAnswer), "{error}");
}

#[tokio::test]
async fn request_on_the_servers_stream_is_answered() {
    let mut fake = FakeHttp::start().await;
    let builder =
        Client::builder("test", "1").on_roots(|| async { Ok(vec![Root::new("file:///tmp")]) });
    let (client, mut stream) = listening(&mut fake, builder).await;
    let ask = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
    stream
        .write(&format!("id: s1\nretry: 1\ndata: {ask}\n\n"))
        .await;
    let asked = fake.bare("POST").await;
    assert_eq!(asked.body["id"], "q");
    assert_eq!(asked.body["result"]["roots"][0]["uri"], "file:///tmp");
    assert_eq!(asked.header("mcp-session-id"), Some("one"));
    asked.status("200 OK").await;

    drop(stream);
    let mut stream = fake.bare("GET").await;
    assert_eq!(stream.header("last-event-id"), Some("s1"));
    stream.events().await;
    let ask = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    stream.event(&ask).await;
    let asked = fake.bare("POST").await;
    assert_eq!(asked.body, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    asked.status("202 Accepted").await;

    // The session ends while no call is in flight.
    drop(stream);
    fake.bare("GET").await.status("404 Not Found").await;
    fake.initialized(NEWEST, "two").await;
    let stream = fake.bare("GET").await;
    assert_eq!(stream.header("mcp-session-id"), Some("two"));
    assert_eq!(stream.header("last-event-id"), None);
    drop(client);
    stream.closed().await;
}

/// A server may be restarted between the handshake and the GET for the stream. No call is made, so
/// nothing else would notice.
#[tokio::test]
async fn session_lost_before_its_stream_opens_is_recreated() {
    let mut fake = FakeHttp::start().await;
    let builder = Client::builder("test", "1").revision(NEWEST);
    let connecting = tokio::spawn(builder.connect(fake.http()));
    fake.initialized(NEWEST, "one").await;
    // The stream breaks, and the restarted server does not know the session.
    drop(fake.bare("GET").await);
    let client = soon(connecting).await.expect("no panic");
    let client = client.expect("connected");
    fake.bare("GET").await.status("404 Not Found").await;
    let ping = fake.message("ping").await;
    assert_eq!(ping.header("mcp-session-id"), Some("one"));
    ping.status("404 Not Found").await;
    fake.initialized(NEWEST, "two").await;
    // The new session has no stream, and no GET either.
    fake.bare("GET").await.status("404 Not Found").await;
    let ping = fake.message("ping").await;
    assert_eq!(ping.header("mcp-session-id"), Some("two"));
    ping.result(&json!({})).await;
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("mcp-session-id"), Some("two"));
    asked.result(&one_tool()).await;
    one(listing).await;
}

/// Notifications before the stream is open would be lost, so calls wait for it, even if its first
/// request fails.
#[tokio::test]
async fn stream_is_reopened_before_calls_begin() {
    let mut fake = FakeHttp::start().await;
    let builder = Client::builder("test", "1").revision(NEWEST);
    let connecting = builder.connect(fake.http());
    let listing = tokio::spawn(async move {
        let client = connecting.await.expect("connected");
        client.tools().one_page().await.map(|list| list.tools.len())
    });
    fake.initialized(NEWEST, "one").await;
    drop(fake.bare("GET").await);
    let mut stream = fake.bare("GET").await;
    stream.events().await;
    fake.message("tools/list").await.result(&one_tool()).await;
    one(listing).await;
}

/// A server waits for the answer, and does not repeat its request.
#[tokio::test]
async fn answer_is_sent_again_after_a_broken_connection() {
    let mut fake = FakeHttp::start().await;
    let builder =
        Client::builder("test", "1").on_roots(|| async { Ok(vec![Root::new("file:///tmp")]) });
    let (client, mut stream) = listening(&mut fake, builder).await;
    let ask = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
    stream.event(&ask).await;
    let first = fake.bare("POST").await;
    assert_eq!(first.body["id"], "q", "{}", first.body);
    let body = first.body.clone();
    drop(first);
    let second = fake.bare("POST").await;
    assert_eq!(second.body, body);
    assert_eq!(second.header("mcp-session-id"), Some("one"));
    second.status("202 Accepted").await;
    drop(client);
    fake.bare("DELETE").await.status("200 OK").await;
}

#[tokio::test]
async fn stream_without_events_is_not_opened_in_a_loop() {
    let mut fake = FakeHttp::start().await;
    let (_client, mut stream) = listening(&mut fake, Client::builder("test", "1")).await;
    // The server asks for it, and sends nothing.
    stream.write("retry: 0\n\n").await;
    drop(stream);
    let start = Instant::now();
    for _ in 0..2 {
        let mut again = fake.bare("GET").await;
        again.events().await;
        again.write("retry: 0\n\n").await;
    }
    assert!(
        start.elapsed() > Duration::from_millis(1900),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn stream_is_opened_again_after_too_many_requests() {
    let mut fake = FakeHttp::start().await;
    let (_client, stream) = listening(&mut fake, Client::builder("test", "1")).await;
    drop(stream);
    let head = "Retry-After: 1\r\n";
    fake.bare("GET")
        .await
        .answer("429 Too Many Requests", head, "")
        .await;
    let start = Instant::now();
    fake.bare("GET").await.events().await;
    assert!(
        start.elapsed() > Duration::from_millis(900),
        "{:?}",
        start.elapsed()
    );
}
