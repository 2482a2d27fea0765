//! Notifications of both directions.

use mcp_client::Cache;
use mcp_client::middleware::{self, Direction, Notification};
use mcp_client::types::json::{self, Object};
use mcp_client::types::v2025_11_25::RootsListChangedNotification;
use mcp_client::types::{
    CancelledNotification, CancelledNotificationParams, LoggingLevel, Revision, SubscriptionFilter,
};
use mcp_client::{ConnectError, SubscriptionEvent};
use mcp_server::{Context, HandlerError, Server};
use tokio::sync::mpsc;

use super::{Record, Way, builder};
use crate::support::script::Script;
use crate::support::soon;

fn server() -> Server {
    Server::builder("notifies", "1.0.0")
        .tool(
            "log",
            "Logs",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.log(LoggingLevel::Error, None, "hidden").await?;
                cx.log(LoggingLevel::Error, None, "shown").await?;
                Ok::<_, HandlerError>("logged")
            },
        )
        .build()
        .expect("the definition is valid")
}

const LOG: &str = "notifications/message";

#[tokio::test]
async fn notification_of_the_server_can_be_dropped_and_changed() {
    for way in Way::ALL {
        for &revision in Revision::ALL {
            if !revision.has_method(LOG) {
                continue;
            }
            let (sender, mut logs) = mpsc::unbounded_channel();
            let builder = builder()
                .revision(revision)
                .on_log(LoggingLevel::Debug, move |log| {
                    let _ = sender.send(log.data);
                })
                .layer(middleware::from_notify_fn(|notification| {
                    if notification.method() != LOG {
                        return Some(notification);
                    }
                    assert_eq!(notification.direction(), Direction::ToClient);
                    let text = notification.params().get();
                    if text.contains("hidden") {
                        return None;
                    }
                    let mut params: Object = json::from_str(text).expect("an object");
                    params.insert("data", "changed");
                    Some(notification.with_params(json::to_raw(&params).expect("JSON")))
                }));
            let client = way.connect(&server(), builder).await;
            soon(client.call_tool("log")).await.expect("a result");
            let log = soon(logs.recv()).await.expect("a log");
            assert_eq!(log.as_str(), Some("changed"), "{way:?} {revision}");
            client.close().await;
            drop(client);
            assert!(soon(logs.recv()).await.is_none(), "{way:?} {revision}");
        }
    }
}

#[tokio::test]
async fn dropped_notification_does_not_invalidate_the_cache() {
    const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"secret":SECRET}}"#;
    const TOOLS: &str =
        r#"{"resultType":"complete","ttlMs":60000,"cacheScope":"private","tools":[]}"#;
    let (sender, mut seen) = mpsc::unbounded_channel();
    let builder = builder()
        .cache(Cache::new())
        .layer(middleware::from_notify_fn(move |notification| {
            let keep = notification.params().get().contains("true");
            let _ = sender.send(keep);
            keep.then_some(notification)
        }));
    let (client, mut script) = Script::modern(builder, r#"{"tools":{}}"#).await;
    for secret in ["false", "true"] {
        let listing = client.clone();
        let listing = tokio::spawn(async move { listing.tools().one_page().await });
        if secret == "false" {
            let asked = script.receive_request("tools/list").await;
            script.answer(&asked, TOOLS).await;
        }
        soon(listing).await.expect("no panic").expect("a list");
        script.send(CHANGED.replace("SECRET", secret)).await;
        soon(seen.recv()).await.expect("a notification");
    }
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    let asked = script.receive_request("tools/list").await;
    script.answer(&asked, TOOLS).await;
    soon(listing).await.expect("no panic").expect("a list");
}

#[tokio::test]
async fn notifications_of_subscriptions_pass_at_every_revision() {
    for way in Way::ALL {
        for &revision in Revision::ALL {
            let record = Record::default();
            let server = Server::builder("changes", "1.0.0")
                .tool("nothing", "Does nothing", async || "done")
                .build()
                .expect("the definition is valid");
            let builder = builder()
                .revision(revision)
                .layer(record.layer("outer"))
                .layer(record.layer("inner"));
            let client = way.connect(&server, builder).await;
            let mut changes = client.listen(SubscriptionFilter::new().tools_list_changed(true));
            let first = soon(changes.next()).await.expect("an event");
            let first = first.expect("no error");
            assert!(matches!(first, SubscriptionEvent::Listening(_)));
            record.take();
            server.tools_changed();
            let change = soon(changes.next()).await.expect("an event");
            let change = change.expect("no error");
            assert!(matches!(change, SubscriptionEvent::ToolListChanged));
            assert_eq!(
                record.take(),
                [
                    "inner ToClient notifications/tools/list_changed",
                    "outer ToClient notifications/tools/list_changed"
                ],
                "{way:?} {revision}"
            );
        }
    }
}

#[tokio::test]
async fn notification_of_the_client_can_be_dropped_and_changed() {
    let builder =
        builder().layer(middleware::from_notify_fn(
            |notification: Notification| match notification.method() {
                "notifications/roots/list_changed" => None,
                "notifications/cancelled" => {
                    assert_eq!(notification.direction(), Direction::ToServer);
                    let params = Object::from([("requestId", "changed")]);
                    Some(notification.with_params(json::to_raw(&params).expect("JSON")))
                }
                _ => Some(notification),
            },
        ));
    let (client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
    let sent = client.notify::<RootsListChangedNotification>(None);
    soon(sent).await.expect("dropped");
    soon(client.roots_changed()).await.expect("dropped");
    let params = CancelledNotificationParams::new(7);
    let sent = client.notify::<CancelledNotification>(params);
    soon(sent).await.expect("sent");
    let cancelled = script.receive_request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], "changed");

    let calling = tokio::spawn(client.call_tool("slow").into_future());
    script.receive_request("tools/call").await;
    calling.abort();
    let cancelled = script.receive_request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], "changed");
}

#[tokio::test]
async fn unchanged_notification_is_sent_as_it_was() {
    let builder = builder().layer(Record::default().layer("layer"));
    let (client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
    soon(client.roots_changed()).await.expect("sent");
    let changed = script.read().await;
    assert_eq!(
        changed,
        serde_json::json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    );
}

#[tokio::test]
async fn dropped_initialized_notification_fails_the_connection() {
    for way in Way::ALL {
        let builder = builder()
            .revision(Revision::V2025_11_25)
            .layer(middleware::from_notify_fn(|_| None));
        let failed = way.try_connect(&server(), builder).await;
        let failed = failed.map(drop).expect_err("no session");
        assert!(matches!(failed, ConnectError::Call(_)), "{failed:?}");
        assert!(failed.to_string().contains("initialized"), "{failed}");
    }
}

#[test]
fn builder_shows_which_notifications_have_handlers() {
    let builder = builder();
    assert!(format!("{builder:?}").contains("notifications: {}"));
    let builder = builder.on_log(LoggingLevel::Info, |_| ());
    let shown = format!("{builder:?}");
    assert!(
        shown.contains(r#"notifications: {"notifications/message"}"#),
        "{shown}"
    );
}
