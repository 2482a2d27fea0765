//! Servers that send without end, some of which do not read meanwhile.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::types::{LoggingLevel, Revision, SubscriptionFilter};
use mcp_client::{CallError, Limits, SubscriptionEvent};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::pipe::{Script, builder, list, soon};
use crate::support::faults::sound;

const MANY: usize = 100_000;

/// Longer than any successful operation.
const STALL: Duration = Duration::from_millis(500);

fn line(number: usize, method: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"{method}\",\"params\":{{}}}}\n")
}

impl Script {
    /// Sends requests until the client stops reading. Returns how many were sent, the last one
    /// perhaps in part, and the unsent rest of it.
    async fn flood(&mut self, method: &str) -> (usize, Vec<u8>) {
        for number in 0..MANY {
            let line = line(number, method);
            let mut rest = line.as_bytes();
            while !rest.is_empty() {
                match timeout(STALL, self.writer.write(rest)).await {
                    Ok(count) => rest = &rest[count.expect("the client is running")..],
                    Err(_) => return (number + 1, rest.to_vec()),
                }
            }
        }
        panic!("the client never stops reading")
    }
}

#[tokio::test]
async fn client_stops_reading_from_a_server_that_does_not_read() {
    let mut limits = Limits::default();
    limits.queued_bytes = 10_000;
    let (client, mut server) = Script::piped(builder(limits), Revision::V2025_11_25).await;
    for method in ["ping", "no/such"] {
        let (sent, rest) = server.flood(method).await;
        // The amount is limited by two pipes, a read buffer, and the waiting requests.
        assert!(sent < 20_000, "{sent} requests");
        // A call waits as well, and times out.
        let call = client.tools().one_page().timeout(Duration::from_millis(20));
        let error = soon(call).await.expect_err("nobody reads");
        assert!(matches!(error, CallError::Timeout { .. }), "{error}");

        let Script { lines, writer, .. } = &mut server;
        let rest = async {
            writer
                .write_all(&rest)
                .await
                .expect("the client is running")
        };
        let answers = async {
            for number in 0..sent {
                let line = lines.next_line().await.expect("readable").expect("a line");
                let answer: serde_json::Value = serde_json::from_str(&line).expect("JSON");
                assert_eq!(answer["id"], number, "{answer}");
            }
        };
        soon(async { tokio::join!(rest, answers) }).await;
        server.assert_works(&client).await;
    }
}

#[tokio::test]
async fn server_requests_beyond_the_limit_are_rejected() {
    let mut limits = Limits::default();
    limits.server_requests = 8;
    let (asked, heard) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&asked);
    let builder = builder(limits).on_roots(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        pending()
    });
    let (client, server) = Script::piped(builder, Revision::V2025_11_25).await;
    let Script {
        mut lines,
        mut writer,
        hello,
    } = server;
    let counted = Arc::clone(&heard);
    let refused = tokio::spawn(async move {
        for _ in 8..MANY {
            let line = lines.next_line().await.expect("readable").expect("a line");
            let answer: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            counted.fetch_add(1, Ordering::Relaxed);
        }
        lines
    });
    for number in 0..MANY {
        let line = line(number, "roots/list");
        writer
            .write_all(line.as_bytes())
            .await
            .expect("the client reads");
    }
    let lines = soon(refused).await.expect("the others are rejected");
    assert_eq!(heard.load(Ordering::Relaxed), MANY - 8);
    assert_eq!(asked.load(Ordering::Relaxed), 8);
    let mut server = Script {
        lines,
        writer,
        hello,
    };
    server.assert_works(&client).await;
}

/// A modern revision that has log messages, which are deprecated.
const LOGGING: Revision = Revision::V2026_07_28;

#[tokio::test]
async fn flood_of_notifications_is_delivered_before_the_response() {
    let heard = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&heard);
    let builder = builder(Limits::default()).on_log(LoggingLevel::Info, move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let (client, mut server) = Script::piped(builder, LOGGING).await;
    let call = list(&client);
    let asked = server.receive_request("tools/list").await;
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n";
    for _ in 0..MANY {
        server.write(line).await;
    }
    server.answer(&asked, sound(LOGGING)).await;
    soon(call).await.expect("no panic").expect("a list");
    assert_eq!(heard.load(Ordering::Relaxed), MANY);
    server.assert_works(&client).await;
}

#[tokio::test]
async fn flood_of_unknown_responses_is_ignored() {
    let (client, mut server) = Script::piped(builder(Limits::default()), Revision::LATEST).await;
    let call = list(&client);
    let asked = server.receive_request("tools/list").await;
    for number in 1_000..1_000 + MANY {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{{}}}}\n");
        server.write(line.as_bytes()).await;
    }
    server.answer(&asked, sound(Revision::LATEST)).await;
    soon(call).await.expect("no panic").expect("a list");
    server.assert_works(&client).await;
}

#[tokio::test]
async fn unread_changes_are_merged() {
    let mut limits = Limits::default();
    limits.pending_events = 16;
    let (client, mut server) = Script::piped(builder(limits), Revision::LATEST).await;
    let filter = SubscriptionFilter::new().tools_list_changed(true);
    let mut news = client.listen(filter);
    let asked = server.receive_request("subscriptions/listen").await;
    let id = asked["id"].clone();
    let meta = serde_json::json!({"io.modelcontextprotocol/subscriptionId": id});
    let listens = serde_json::json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": {"toolsListChanged": true}, "_meta": meta},
    });
    server.write(format!("{listens}\n").as_bytes()).await;
    for number in 0..10_000 {
        let changed = serde_json::json!({
            "jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": {"uri": format!("test:{number}"), "_meta": meta},
        });
        server.write(format!("{changed}\n").as_bytes()).await;
    }
    // All notifications have been received now.
    server.assert_works(&client).await;
    let mut count = 0;
    loop {
        match soon(news.next())
            .await
            .expect("news")
            .expect("the connection still works")
        {
            SubscriptionEvent::Missed => break,
            _ => count += 1,
        }
    }
    assert_eq!(count, 16);
}

#[tokio::test]
async fn unread_events_are_bounded_in_bytes() {
    let mut limits = Limits::default();
    limits.pending_bytes = 10_000;
    let (client, mut server) = Script::piped(builder(limits), Revision::LATEST).await;
    let filter = SubscriptionFilter::new().tools_list_changed(true);
    let mut news = client.listen(filter);
    let asked = server.receive_request("subscriptions/listen").await;
    let meta = serde_json::json!({"io.modelcontextprotocol/subscriptionId": asked["id"]});
    let listens = serde_json::json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": {"toolsListChanged": true}, "_meta": meta},
    });
    server.write(format!("{listens}\n").as_bytes()).await;
    let changed = |uri: &str, size: usize| {
        let changed = serde_json::json!({
            "jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": {"uri": uri, "_meta": meta, "filling": "x".repeat(size)},
        });
        format!("{changed}\n")
    };
    for number in 0..100 {
        server
            .write(changed(&format!("test:{number}"), 4_000).as_bytes())
            .await;
    }
    // The same change again, larger than the limit.
    server.write(changed("test:0", 20_000).as_bytes()).await;
    server.assert_works(&client).await;
    let mut count = 0;
    loop {
        match soon(news.next())
            .await
            .expect("news")
            .expect("the connection still works")
        {
            SubscriptionEvent::Missed => break,
            SubscriptionEvent::Listening(_) => {}
            SubscriptionEvent::ResourceUpdated(params) => {
                let size = serde_json::to_string(&params).expect("JSON").len();
                assert!(size < 5_000, "{size}");
                count += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(count, 2);
    // A single event may have any size, and then there is space again.
    server.write(changed("test:0", 20_000).as_bytes()).await;
    let event = soon(news.next())
        .await
        .expect("news")
        .expect("the connection still works");
    assert!(
        matches!(event, SubscriptionEvent::ResourceUpdated(_)),
        "{event:?}"
    );
}
