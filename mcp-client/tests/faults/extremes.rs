//! Every limit at its largest value, which means unlimited, and at zero.

use std::time::Duration;

use mcp_client::types::{Revision, Root, SubscriptionFilter};
use mcp_client::{CallError, Client, ConnectError, Limits, SubscriptionEvent, TransportError};
use serde_json::json;

use super::pipe::{Script, builder, pipes, soon, transport_error};
use crate::support::faults::sound;

/// A limit: its name, and functions that set it to the largest value and to zero.
type Limit = (&'static str, fn(&mut Limits, Extreme));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extreme {
    Largest,
    Zero,
}

impl Extreme {
    fn number(self) -> usize {
        match self {
            Self::Largest => usize::MAX,
            Self::Zero => 0,
        }
    }

    fn time(self) -> Duration {
        match self {
            Self::Largest => Duration::MAX,
            Self::Zero => Duration::ZERO,
        }
    }
}

const LIMITS: &[Limit] = &[
    ("message_bytes", |limits, to| {
        limits.message_bytes = to.number()
    }),
    ("call_time", |limits, to| limits.call_time = to.time()),
    ("probe_time", |limits, to| limits.probe_time = to.time()),
    ("connect_time", |limits, to| limits.connect_time = to.time()),
    ("rounds", |limits, to| limits.rounds = to.number()),
    ("server_requests", |limits, to| {
        limits.server_requests = to.number()
    }),
    ("pending_events", |limits, to| {
        limits.pending_events = to.number()
    }),
    ("retry_first", |limits, to| limits.retry_first = to.time()),
    ("retry_most", |limits, to| limits.retry_most = to.time()),
    ("list_pages", |limits, to| limits.list_pages = to.number()),
    ("list_items", |limits, to| limits.list_items = to.number()),
    ("list_bytes", |limits, to| limits.list_bytes = to.number()),
    ("queued_bytes", |limits, to| {
        limits.queued_bytes = to.number()
    }),
    ("pending_bytes", |limits, to| {
        limits.pending_bytes = to.number()
    }),
    ("server_request_bytes", |limits, to| {
        limits.server_request_bytes = to.number()
    }),
];

fn limits(set: &[Limit], to: Extreme) -> Limits {
    let mut limits = Limits::default();
    for (_, set) in set {
        set(&mut limits, to);
    }
    limits
}

async fn connect(limits: Limits, revision: Revision) -> (Client, Script) {
    let builder = builder(limits).on_roots(|| async { Ok(vec![Root::new("file:///")]) });
    Script::piped(builder, revision).await
}

/// Makes a call with an input request, a list, a subscription, and a request of the server.
async fn everything_works(client: &Client, server: &mut Script, name: &str, asks: bool) {
    println!("{name} at {}", client.revision());
    server.assert_works(client).await;
    let list = tokio::spawn(client.tools().all());
    let asked = server.receive_request("tools/list").await;
    server.answer(&asked, sound(client.revision())).await;
    soon(list).await.expect("no panic").expect("a list");
    if client.revision().is_modern() {
        let call = tokio::spawn(client.call_tool("any").into_future());
        let asked = server.receive_request("tools/call").await;
        let done = r#"{"resultType":"complete","content":[]}"#;
        if asks {
            let asking =
                r#"{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}"#;
            server.answer(&asked, asking).await;
            let again = server.receive_request("tools/call").await;
            server.answer(&again, done).await;
        } else {
            server.answer(&asked, done).await;
        }
        soon(call).await.expect("no panic").expect(name);
        let mut news = client.listen(SubscriptionFilter::new().tools_list_changed(true));
        let asked = server.receive_request("subscriptions/listen").await;
        let meta = json!({"io.modelcontextprotocol/subscriptionId": asked["id"]});
        let filter = json!({"toolsListChanged": true});
        for (method, params) in [
            (
                "notifications/subscriptions/acknowledged",
                json!({"notifications": filter, "_meta": meta}),
            ),
            ("notifications/tools/list_changed", json!({"_meta": meta})),
        ] {
            let received = json!({"jsonrpc": "2.0", "method": method, "params": params});
            server.write(format!("{received}\n").as_bytes()).await;
            let event = soon(news.next()).await.expect("news").expect(name);
            let as_told = match event {
                SubscriptionEvent::Listening(_) => method.ends_with("acknowledged"),
                SubscriptionEvent::ToolListChanged => method.ends_with("changed"),
                _ => false,
            };
            assert!(as_told, "{name}: {event:?}");
        }
        drop(news);
        server.receive_request("notifications/cancelled").await;
    } else {
        let asking = json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
        server.write(format!("{asking}\n").as_bytes()).await;
        let answer = server.read().await;
        let member = if asks { "result" } else { "error" };
        assert!(answer[member].is_object(), "{name}: {answer}");
    }
}

#[tokio::test]
async fn largest_values_mean_no_limit() {
    let one_by_one = LIMITS.iter().map(std::slice::from_ref);
    for set in one_by_one.chain([LIMITS]) {
        let name = set.first().map_or("", |(name, _)| name);
        for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
            let limits = limits(set, Extreme::Largest);
            let (client, mut server) = connect(limits, revision).await;
            everything_works(&client, &mut server, name, true).await;
            soon(client.close()).await;
        }
    }
}

#[tokio::test]
async fn call_without_a_timeout_waits_indefinitely() {
    let (client, mut server) = connect(Limits::default(), Revision::LATEST).await;
    let call = client.tools().one_page().timeout(Duration::MAX);
    let call = call.while_progressing(Duration::MAX).on_progress(|_| {});
    let call = tokio::spawn(call.into_future());
    let asked = server.receive_request("tools/list").await;
    server.answer(&asked, sound(Revision::LATEST)).await;
    soon(call).await.expect("no panic").expect("a list");
}

#[tokio::test]
async fn zero_limits_keep_the_connection_usable() {
    for limit @ (name, _) in LIMITS {
        if ["message_bytes", "call_time"].contains(name) {
            continue;
        }
        for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
            // The timeout of zero expires immediately.
            if *name == "probe_time" && revision.is_modern() {
                continue;
            }
            let limits = limits(&[*limit], Extreme::Zero);
            let (client, mut server) = connect(limits, revision).await;
            let asks = match *name {
                "server_requests" => false,
                // The call is not retried.
                "rounds" => !revision.is_modern(),
                _ => true,
            };
            everything_works(&client, &mut server, name, asks).await;
            soon(client.close()).await;
        }
    }
}

#[tokio::test]
async fn zero_timeout_and_zero_message_size_are_typed_errors() {
    let mut limits = Limits::default();
    limits.call_time = Duration::ZERO;
    let (way, mut server) = pipes();
    let connecting = tokio::spawn(builder(limits).revision(Revision::LATEST).connect(way));
    // Fails if the client has closed the connection already.
    let _negotiating = tokio::spawn(async move {
        server.negotiate(Revision::LATEST).await;
        server
    });
    let error = match soon(connecting).await.expect("no panic") {
        Ok(client) => soon(client.tools().one_page()).await.expect_err("no time"),
        Err(ConnectError::Call(error)) => error,
        Err(error) => panic!("{error}"),
    };
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");

    let (client, _server) = connect(Limits::default(), Revision::LATEST).await;
    let call = client.tools().one_page().timeout(Duration::ZERO);
    let error = soon(call).await.expect_err("no time");
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");

    let mut limits = Limits::default();
    limits.message_bytes = 0;
    let (way, mut server) = pipes();
    let connecting = tokio::spawn(builder(limits).revision(Revision::LATEST).connect(way));
    let asked = server.receive_request("server/discover").await;
    server.answer(&asked, "{}").await;
    let error = soon(connecting).await.expect("no panic");
    let error = error.expect_err("too long");
    let ConnectError::Call(error) = error else {
        panic!("{error}");
    };
    assert!(
        matches!(
            transport_error(&error),
            TransportError::TooLong { limit: 0 }
        ),
        "{error}"
    );
}

/// The delay before the next attempt is one of the limits.
#[tokio::test]
async fn retry_delays_of_subscriptions_work_at_extreme_values() {
    for (to, least, most) in [
        (
            Extreme::Largest,
            Duration::from_secs(1 << 40),
            Duration::MAX,
        ),
        (
            Extreme::Zero,
            Duration::from_millis(4),
            Duration::from_millis(11),
        ),
    ] {
        let mut limits = Limits::default();
        limits.retry_first = to.time();
        limits.retry_most = to.time();
        limits.message_bytes = 10_000;
        let (client, mut server) = connect(limits, Revision::LATEST).await;
        let mut news = client.listen(SubscriptionFilter::new().tools_list_changed(true));
        for _ in 0..if to == Extreme::Zero { 20 } else { 1 } {
            server.receive_request("subscriptions/listen").await;
            // All waiting calls fail.
            server.write(&vec![b' '; 20_000]).await;
            server.write(b"\n").await;
            let event = soon(news.next())
                .await
                .expect("news")
                .expect("the connection still works");
            let SubscriptionEvent::Interrupted { again, .. } = event else {
                panic!("{event:?}");
            };
            assert!(least <= again && again <= most, "{again:?}");
            server.receive_request("notifications/cancelled").await;
        }
    }
}
