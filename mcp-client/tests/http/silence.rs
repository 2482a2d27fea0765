//! Servers that stop responding, announce more than they send, or exceed limits.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{CallError, Client, ConnectError, HttpError, Limits};
use serde_json::json;

use super::fake::*;

fn builder(time: Duration) -> mcp_client::ClientBuilder {
    let mut limits = Limits::default();
    limits.call_time = time;
    Client::builder("test", "1").limits(limits)
}

#[tokio::test]
async fn unanswered_initialized_notification_times_out() {
    let mut fake = FakeHttp::start().await;
    let builder = builder(Duration::from_millis(300)).revision(Revision::V2025_11_25);
    let connecting = tokio::spawn(builder.connect(fake.http()));
    let received = fake.almost_initialized(Revision::V2025_11_25, "one").await;
    let delete = async {
        // The session is deleted nevertheless.
        fake.bare("DELETE").await.status("204 No Content").await;
    };
    let (connected, ()) = tokio::join!(soon(connecting), delete);
    let error = connected.expect("no panic").expect_err("no answer");
    assert!(
        matches!(
            &error,
            ConnectError::Call(CallError::Timeout { method, .. })
                if method == "notifications/initialized"
        ),
        "{error}"
    );
    drop(received);
}

#[tokio::test]
async fn unanswered_notification_times_out() {
    let mut fake = FakeHttp::start().await;
    let builder = builder(Duration::from_millis(300))
        .on_roots(|| async { Ok(Vec::new()) })
        .revision(Revision::V2025_11_25);
    let connecting = tokio::spawn(builder.connect(fake.http()));
    fake.initialized(Revision::V2025_11_25, "one").await;
    fake.no_stream().await;
    let client = soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");
    let (received, asked) = tokio::join!(
        soon(client.roots_changed()),
        fake.message("notifications/roots/list_changed")
    );
    let error = received.expect_err("no answer").to_string();
    let text = "`notifications/roots/list_changed` timed out after 300ms";
    assert_eq!(error, text);
    drop(asked);
}

/// Allocating the announced length would exhaust the memory.
#[tokio::test]
async fn huge_content_length_does_not_allocate() {
    for limit in [usize::MAX, 1 << 60] {
        let mut limits = Limits::default();
        limits.message_bytes = limit;
        let builder = Client::builder("test", "1").limits(limits);
        let mut fake = FakeHttp::start().await;
        let client = fake.modern_with(fake.http(), builder).await;
        let call = tokio::spawn(client.tools().one_page().into_future());
        let mut asked = fake.message("tools/list").await;
        let body = asked.result_message(&tools(&json!([]))).to_string();
        let (first, rest) = body.split_at(10);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1152921504606846000\r\n\r\n";
        asked.write(&format!("{head}{first}")).await;
        asked.write(rest).await;
        drop(asked);
        let error = soon(call)
            .await
            .expect("no panic")
            .expect_err("the transfer was interrupted");
        assert!(matches!(http(&error), HttpError::Exchange(_)), "{error}");
    }
}

/// The largest and the smallest values of all limits, over HTTP.
#[tokio::test]
async fn extreme_limits_work_over_http() {
    let mut largest = Limits::default();
    for number in [
        &mut largest.message_bytes,
        &mut largest.rounds,
        &mut largest.server_requests,
        &mut largest.pending_events,
        &mut largest.list_pages,
        &mut largest.list_items,
        &mut largest.list_bytes,
        &mut largest.queued_bytes,
        &mut largest.pending_bytes,
        &mut largest.server_request_bytes,
    ] {
        *number = usize::MAX;
    }
    for time in [
        &mut largest.call_time,
        &mut largest.probe_time,
        &mut largest.connect_time,
        &mut largest.retry_first,
        &mut largest.retry_most,
    ] {
        *time = Duration::MAX;
    }
    let mut no_queue = Limits::default();
    no_queue.queued_bytes = 0;
    for limits in [largest, no_queue] {
        for revision in [Revision::LATEST, Revision::V2025_11_25] {
            let builder = Client::builder("test", "1").limits(limits.clone());
            let mut fake = FakeHttp::start().await;
            let client = if revision.is_modern() {
                fake.modern_with(fake.http(), builder).await
            } else {
                fake.legacy_with(revision, builder).await
            };
            // As a stream of events, in which a queue without capacity would block.
            let call = tokio::spawn(client.tools().one_page().into_future());
            let mut asked = fake.message("tools/list").await;
            asked.events().await;
            let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
            asked.event(&ping).await;
            let result = asked.result_message(&tools(&json!([])));
            asked.event(&result).await;
            soon(call).await.expect("no panic").expect("a list");
        }
    }
}
