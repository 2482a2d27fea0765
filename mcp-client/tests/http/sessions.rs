//! Servers of the revisions with sessions.

use std::future::IntoFuture;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::types::{
    Notification, ProgressNotification, ProgressNotificationParams, Revision, Root,
};
use mcp_client::{CallError, Client, ClientBuilder, HttpError, Limits, TransportError};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::fake::*;

pub(crate) const NEWEST: Revision = Revision::V2025_11_25;

pub(crate) fn list(client: &Client) -> JoinHandle<Result<usize, CallError>> {
    let client = client.clone();
    tokio::spawn(async move { client.tools().one_page().await.map(|list| list.tools.len()) })
}

pub(crate) async fn one(list: JoinHandle<Result<usize, CallError>>) {
    assert_eq!(soon(list).await.expect("no panic").expect("a list"), 1);
}

pub(crate) fn one_tool() -> Value {
    json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})
}

/// Returns a client with a session, and the stream of the server.
pub(crate) async fn listening(
    fake: &mut FakeHttp,
    builder: ClientBuilder,
) -> (Client, ReceivedRequest) {
    let connecting = tokio::spawn(builder.revision(NEWEST).connect(fake.http()));
    fake.initialized(NEWEST, "one").await;
    let mut stream = fake.bare("GET").await;
    assert_eq!(stream.header("accept"), Some("text/event-stream"));
    assert_eq!(stream.header("mcp-session-id"), Some("one"));
    assert_eq!(stream.header("last-event-id"), None);
    stream.events().await;
    let client = soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");
    (client, stream)
}

#[tokio::test]
async fn session_id_is_sent_with_every_request_and_deleted() {
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18, NEWEST] {
        let mut fake = FakeHttp::start().await;
        let client = fake.legacy(revision).await;
        let version = (revision > Revision::V2025_03_26).then(|| revision.as_str());
        let listing = list(&client);
        let asked = fake.message("tools/list").await;
        assert_eq!(asked.header("mcp-session-id"), Some("one"));
        assert_eq!(asked.header("mcp-protocol-version"), version);
        assert_eq!(asked.header("mcp-method"), None);
        asked.result(&one_tool()).await;
        one(listing).await;
        drop(client);
        let asked = fake.bare("DELETE").await;
        assert_eq!(asked.header("mcp-session-id"), Some("one"));
        assert_eq!(asked.header("mcp-protocol-version"), version);
        asked.status("405 Method Not Allowed").await;
    }
}

#[tokio::test]
async fn lost_session_is_recreated_once_for_all_calls() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let listings = [list(&client), list(&client)];
    let first = fake.message("tools/list").await;
    let second = fake.message("tools/list").await;
    first.status("404 Not Found").await;
    second.error("404 Not Found", -32001).await;
    fake.initialized(NEWEST, "two").await;
    fake.no_stream().await;
    for _ in 0..2 {
        let asked = fake.message("tools/list").await;
        assert_eq!(asked.header("mcp-session-id"), Some("two"));
        asked.result(&one_tool()).await;
    }
    for listing in listings {
        one(listing).await;
    }
}

#[tokio::test]
async fn session_that_is_refused_with_another_status_is_recreated() {
    for status in ["400 Bad Request", "410 Gone"] {
        let mut fake = FakeHttp::start().await;
        let client = fake.legacy(NEWEST).await;
        let listing = list(&client);
        fake.message("tools/list").await.error(status, -32000).await;
        fake.message("ping").await.error(status, -32000).await;
        fake.initialized(NEWEST, "two").await;
        fake.no_stream().await;
        let asked = fake.message("tools/list").await;
        assert_eq!(asked.header("mcp-session-id"), Some("two"));
        // One new session is tried, no second one.
        asked.error(status, -32000).await;
        let error = soon(listing).await.expect("no panic");
        assert_eq!(error.expect_err("refused").code(), Some(-32000), "{status}");
    }
}

#[tokio::test]
async fn session_goes_on_if_only_a_request_is_refused() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    for ping in ["200 OK", "503 Service Unavailable"] {
        let listing = list(&client);
        let asked = fake.message("tools/list").await;
        asked.error("400 Bad Request", -32602).await;
        fake.message("ping").await.error(ping, -32601).await;
        let error = soon(listing).await.expect("no panic");
        assert_eq!(error.expect_err("refused").code(), Some(-32602));
    }
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("mcp-session-id"), Some("one"));
    asked.result(&one_tool()).await;
    one(listing).await;
}

#[tokio::test]
async fn call_that_failed_with_500_is_not_repeated_in_the_next_session() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    asked.error("500 Internal Server Error", -32603).await;
    let ping = fake.message("ping").await;
    ping.error("500 Internal Server Error", -32603).await;
    let error = soon(listing).await.expect("no panic");
    assert_eq!(error.expect_err("refused").code(), Some(-32603));
    fake.initialized(NEWEST, "two").await;
    fake.no_stream().await;
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("mcp-session-id"), Some("two"));
    asked.result(&one_tool()).await;
    one(listing).await;
}

#[tokio::test]
async fn call_during_session_creation_waits_for_it() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let first = list(&client);
    let asked = fake.message("tools/list").await;
    asked.status("404 Not Found").await;
    let received = fake.almost_initialized(NEWEST, "two").await;
    let second = list(&client);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(fake.is_quiet());
    received.status("202 Accepted").await;
    fake.no_stream().await;
    for _ in 0..2 {
        let asked = fake.message("tools/list").await;
        assert_eq!(asked.header("mcp-session-id"), Some("two"));
        asked.result(&one_tool()).await;
    }
    one(first).await;
    one(second).await;
}

#[tokio::test]
async fn answer_for_a_lost_session_is_not_sent_to_the_next() {
    let mut fake = FakeHttp::start().await;
    let (sender, mut begun) = mpsc::unbounded_channel();
    let release = Arc::new(Notify::new());
    let released = Arc::clone(&release);
    let builder = Client::builder("test", "1").on_roots(move || {
        let (sender, released) = (sender.clone(), Arc::clone(&released));
        async move {
            // The first handler is slow.
            let (answer, answers) = oneshot::channel();
            sender.send(answer).expect("the test is running");
            let number: u8 = answers.await.expect("the test is running");
            if number == 1 {
                released.notified().await;
            }
            Ok(vec![Root::new(format!("file:///{number}"))])
        }
    });
    let (client, mut stream) = listening(&mut fake, builder).await;
    let question = json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list"});
    stream.event(&question).await;
    let first = soon(begun.recv()).await.expect("a question");
    first.send(1).expect("it waits");

    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    asked.status("404 Not Found").await;
    fake.initialized(NEWEST, "two").await;
    let mut stream = fake.bare("GET").await;
    stream.events().await;
    fake.message("tools/list").await.result(&one_tool()).await;
    one(listing).await;
    release.notify_one();

    // The new session has other requests with the same ids.
    stream.event(&question).await;
    let second = soon(begun.recv()).await.expect("a question");
    second.send(2).expect("it waits");
    let answer = fake.next().await;
    assert_eq!(answer.header("mcp-session-id"), Some("two"));
    assert_eq!(answer.body["id"], 7);
    assert_eq!(answer.body["result"]["roots"][0]["uri"], "file:///2");
    answer.status("202 Accepted").await;
}

#[tokio::test]
async fn session_that_cannot_be_recreated_is_an_error() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let listing = list(&client);
    fake.message("tools/list")
        .await
        .status("404 Not Found")
        .await;
    fake.message("initialize")
        .await
        .status("403 Forbidden")
        .await;
    let error = soon(listing)
        .await
        .expect("no panic")
        .expect_err("no session");
    assert!(
        matches!(transport_error(&error), TransportError::Session { .. }),
        "{error}"
    );
}

/// A program may hold calls that it does not poll.
#[tokio::test]
async fn unpolled_call_does_not_block_others() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let mut call = pin!(client.tools().one_page().into_future());
    let asked = tokio::select! {
        _ = &mut call => panic!("an answer that nobody gave"),
        asked = async {
            let asked = fake.message("tools/list").await;
            asked.status("404 Not Found").await;
            fake.message("initialize").await
        } => asked,
    };
    let listing = list(&client);
    let received = fake.agrees(asked, NEWEST, "two").await;
    received.status("202 Accepted").await;
    fake.no_stream().await;
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("mcp-session-id"), Some("two"));
    asked.result(&one_tool()).await;
    one(listing).await;
    let asked = tokio::select! {
        _ = &mut call => panic!("an answer that nobody gave"),
        asked = fake.message("tools/list") => asked,
    };
    asked.result(&one_tool()).await;
    let tools = soon(call).await.expect("a list").tools;
    assert_eq!(tools.len(), 1);
}

/// A server may accept the first request of a handshake and then not respond.
#[tokio::test]
async fn hanging_handshake_times_out_and_is_retried() {
    let mut fake = FakeHttp::start().await;
    let mut limits = Limits::default();
    limits.call_time = Duration::from_millis(300);
    let builder = Client::builder("test", "1").limits(limits);
    let client = fake.legacy_with(NEWEST, builder).await;
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    asked.status("404 Not Found").await;
    let silent = fake.almost_initialized(NEWEST, "two").await;
    let error = soon(listing).await.expect("no panic");
    error.expect_err("no session");
    fake.initialized(NEWEST, "three").await;
    fake.no_stream().await;
    drop(silent);
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("mcp-session-id"), Some("three"));
    asked.result(&one_tool()).await;
    one(listing).await;
}

#[tokio::test]
async fn dropped_call_sends_cancelled() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    listing.abort();
    let received = fake.message("notifications/cancelled").await;
    assert_eq!(received.body["params"]["requestId"], asked.body["id"]);
    received.status("202 Accepted").await;
}

#[tokio::test]
async fn batched_responses_are_accepted_at_their_revision() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(Revision::V2025_03_26).await;
    let listing = list(&client);
    let asked = fake.message("tools/list").await;
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let batch = json!([notice, asked.result_message(&one_tool())]);
    asked.json("200 OK", &batch).await;
    one(listing).await;
}

#[tokio::test]
async fn notification_is_sent_in_the_next_session_or_fails() {
    let mut fake = FakeHttp::start().await;
    let client = fake.legacy(NEWEST).await;
    let tell = |client: &Client| {
        let client = client.clone();
        let params = ProgressNotificationParams::new("p", 1.0);
        tokio::spawn(async move { client.notify::<ProgressNotification>(params).await })
    };
    let method = ProgressNotification::METHOD;
    let received = tell(&client);
    fake.message(method).await.status("404 Not Found").await;
    fake.initialized(NEWEST, "two").await;
    fake.no_stream().await;
    let asked = fake.message(method).await;
    assert_eq!(asked.header("mcp-session-id"), Some("two"));
    asked.status("204 No Content").await;
    soon(received).await.expect("no panic").expect("told");

    let received = tell(&client);
    fake.message(method).await.status("400 Bad Request").await;
    fake.message("ping").await.result(&json!({})).await;
    let error = soon(received)
        .await
        .expect("no panic")
        .expect_err("refused");
    assert!(
        matches!(http(&error), HttpError::Status { status, .. } if *status == 400),
        "{error}"
    );
}
