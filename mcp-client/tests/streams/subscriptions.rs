//! Subscriptions at servers of both eras.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use futures_core::Stream;

use crate::support::script::Script;
use crate::support::soon;

use super::{builder, connect_to};
use mcp_client::types::{Revision, SubscriptionFilter};
use mcp_client::{CallError, Subscription, SubscriptionEvent};
use mcp_server::{HandlerError, Server};

fn filter(uris: &[&str]) -> SubscriptionFilter {
    SubscriptionFilter::new()
        .tools_list_changed(true)
        .resource_subscriptions(uris.iter().map(|&uri| uri.to_owned()).collect::<Vec<_>>())
}

async fn next(subscription: &mut Subscription) -> SubscriptionEvent {
    let event = soon(subscription.next()).await.expect("not the end");
    event.expect("no error")
}

async fn listening(subscription: &mut Subscription) -> SubscriptionFilter {
    match next(subscription).await {
        SubscriptionEvent::Listening(filter) => filter,
        other => panic!("expected the server to listen: {other:?}"),
    }
}

fn server() -> Server {
    Server::builder("changes", "1.0.0")
        .tool("nothing", "Does nothing", async || {
            Ok::<_, HandlerError>("done")
        })
        .resource("test://a", "a", async || Ok::<_, HandlerError>("text"))
        .build()
        .expect("the definition is valid")
}

#[tokio::test]
async fn only_requested_changes_are_received_at_every_revision() {
    for &revision in Revision::ALL {
        let server = server();
        let client = connect_to(server.clone(), builder().revision(revision)).await;
        let mut changes = client.listen(filter(&["test://a"]));
        let honoured = listening(&mut changes).await;
        assert_eq!(honoured, filter(&["test://a"]), "{revision}");
        server.prompts_changed();
        server.resource_updated("test://b");
        server.tools_changed();
        server.resource_updated("test://a");
        assert!(
            matches!(next(&mut changes).await, SubscriptionEvent::ToolListChanged),
            "{revision}"
        );
        match next(&mut changes).await {
            SubscriptionEvent::ResourceUpdated(params) => assert_eq!(params.uri, "test://a"),
            other => panic!("{revision}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn dropped_subscription_ends_at_a_modern_server() {
    let (client, mut script) = Script::modern(builder(), "{}").await;
    let subscription = client.listen(filter(&[]));
    let asked = script.read().await;
    assert_eq!(asked["method"], "subscriptions/listen");
    assert_eq!(asked["params"]["notifications"]["toolsListChanged"], true);
    drop(subscription);
    let cancelled = script.read().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
}

#[tokio::test]
async fn resource_is_unsubscribed_with_the_last_subscription() {
    let offers = r#"{"resources":{"subscribe":true}}"#;
    let (client, mut script) = Script::legacy(builder(), "2025-11-25", offers).await;
    let mut first = client.listen(filter(&["test://a"]));
    let asked = script.read().await;
    assert_eq!(asked["method"], "resources/subscribe");
    script.answer(&asked, "{}").await;
    let honoured = listening(&mut first).await;
    // The server does not declare that its list of tools changes.
    assert_eq!(honoured.tools_list_changed, None);

    let mut second = client.listen(filter(&["test://a"]));
    let asked = script.read().await;
    script.answer(&asked, "{}").await;
    listening(&mut second).await;
    drop(first);
    let mut third = client.listen(filter(&["test://b"]));
    let asked = script.read().await;
    assert_eq!(asked["method"], "resources/subscribe");
    assert_eq!(asked["params"]["uri"], "test://b");
    script.answer(&asked, "{}").await;
    listening(&mut third).await;
    drop(second);
    let asked = script.read().await;
    assert_eq!(asked["method"], "resources/unsubscribe");
    assert_eq!(asked["params"]["uri"], "test://a");
}

#[tokio::test]
async fn subscription_that_the_server_ends_is_opened_again() {
    let (client, mut script) = Script::modern(builder(), "{}").await;
    let mut ended = client.listen(filter(&[]));
    let asked = script.read().await;
    let id = &asked["id"];
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    let acknowledged = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{{meta},"notifications":{{}}}}}}"#
    );
    script.send(&acknowledged).await;
    let own =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/own","params":{{{meta},"a":1}}}}"#);
    script.send(&own).await;
    let result = format!(r#"{{"resultType":"complete",{meta}}}"#);
    script.answer(&asked, &result).await;
    assert_eq!(listening(&mut ended).await, SubscriptionFilter::new());
    match next(&mut ended).await {
        SubscriptionEvent::Other { method, params } => {
            assert_eq!(method, "notifications/own");
            assert!(params.expect("params").get().contains(r#""a":1"#));
        }
        other => panic!("{other:?}"),
    }
    match next(&mut ended).await {
        SubscriptionEvent::Interrupted { error, .. } => {
            assert!(matches!(*error, CallError::Ended { .. }), "{error}");
        }
        other => panic!("{other:?}"),
    }
    let asked = script.read().await;
    assert_eq!(asked["method"], "subscriptions/listen");
    let acknowledged =
        acknowledged.replace(&format!("Id\":{id}"), &format!("Id\":{}", asked["id"]));
    script.send(&acknowledged).await;
    assert_eq!(listening(&mut ended).await, SubscriptionFilter::new());
    drop(ended);
    assert_eq!(script.read().await["params"]["requestId"], asked["id"]);

    let mut refused = client.listen(filter(&[]));
    let asked = script.read().await;
    let id = &asked["id"];
    let error = r#"{"code":-32601,"message":"no"}"#;
    script
        .send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
        .await;
    let error = soon(refused.next()).await.expect("an error");
    assert!(matches!(error, Err(CallError::Refused { .. })), "{error:?}");
    assert!(soon(refused.next()).await.is_none());
}

#[tokio::test]
async fn lost_connection_ends_a_subscription_with_the_error() {
    let (client, script) = Script::modern(builder(), "{}").await;
    let mut subscription = client.listen(filter(&[]));
    drop(script);
    let error = soon(subscription.next()).await.expect("an error");
    assert!(matches!(error, Err(CallError::Lost { .. })), "{error:?}");
    assert!(soon(subscription.next()).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn unacknowledged_subscription_is_retried() {
    let (client, mut script) = Script::modern(builder(), "{}").await;
    let mut subscription = client.listen(filter(&[]));
    let first = script.read().await;
    match subscription.next().await {
        Some(Ok(SubscriptionEvent::Interrupted { error, .. })) => {
            assert!(matches!(*error, CallError::Timeout { .. }), "{error}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(script.read().await["params"]["requestId"], first["id"]);
    let second = script.read().await;
    assert_eq!(second["method"], "subscriptions/listen");
    assert_ne!(second["id"], first["id"]);
}

#[tokio::test]
async fn flood_of_changes_is_bounded_and_reported() {
    let mut limits = mcp_client::Limits::default();
    limits.pending_events = 10;
    let (client, mut script) = Script::modern(builder().limits(limits), "{}").await;
    let mut subscription = client.listen(filter(&["test://"]));
    let asked = script.read().await;
    let id = &asked["id"];
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    for number in 0..1_000 {
        let uri = number % 500;
        let message = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{{{meta},"uri":"test://{uri}"}}}}"#
        );
        script.send(&message).await;
    }
    let result = format!(r#"{{"resultType":"complete",{meta}}}"#);
    script.answer(&asked, &result).await;
    // It ends before any event is read. The first 10 events are kept.
    for _ in 0..10 {
        let event = next(&mut subscription).await;
        assert!(
            matches!(event, SubscriptionEvent::ResourceUpdated(_)),
            "{event:?}"
        );
    }
    let event = next(&mut subscription).await;
    assert!(matches!(event, SubscriptionEvent::Missed), "{event:?}");
}

#[tokio::test]
async fn dropped_next_loses_no_event_also_as_a_stream() {
    let server = server();
    let client = connect_to(server.clone(), builder()).await;
    let mut changes = client.listen(filter(&["test://a"]));
    listening(&mut changes).await;
    {
        let mut given_up = std::pin::pin!(changes.next());
        let polled = std::future::poll_fn(|cx| Poll::Ready(given_up.as_mut().poll(cx)));
        assert!(polled.await.is_pending());
    }
    server.resource_updated("test://a");
    let event = soon(std::future::poll_fn(|cx| {
        Pin::new(&mut changes).poll_next(cx)
    }));
    match event.await {
        Some(Ok(SubscriptionEvent::ResourceUpdated(params))) => assert_eq!(params.uri, "test://a"),
        other => panic!("{other:?}"),
    }
}
