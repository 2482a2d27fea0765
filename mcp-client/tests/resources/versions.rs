//! `versioned-resources`: conditional reads, filters, and changes with the changed resource.

use std::sync::{Arc, Mutex};

use mcp_client::types::{
    GetResourceContents, ResourceContentChangedNotification, SubscriptionFilter,
};
use mcp_client::{Cache, CallError, Client, ClientBuilder, Current, Proposal, SubscriptionEvent};
use serde_json::{Value, json};

use super::script::{Script, modern, soon};

const NAME: &str = "versioned-resources";

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").proposals([Proposal::VersionedResources])
}

async fn connect() -> (Client, Script) {
    modern(builder(), &[NAME]).await
}

fn page(version: &str) -> Value {
    json!({"result": {
        "resultType": "complete",
        "resource": {"uri": "demo:a", "name": "a", "version": version},
        "contents": {"contentType": "text/plain", "content": "A"},
    }})
}

#[tokio::test]
async fn resource_is_returned_with_its_version() {
    let (client, mut script) = connect().await;
    let asking = async { soon(client.get_resource("demo:a")).await };
    let (answer, asked) = tokio::join!(asking, script.answer_next(page("1")));
    assert_eq!(asked["method"], "resources/get");
    assert_eq!(asked["params"]["uri"], "demo:a");
    assert_eq!(asked["params"].get("version"), None);
    let answer = answer.expect("an answer");
    assert_eq!(answer.resource.version.as_deref(), Some("1"));
    assert!(matches!(answer.contents, GetResourceContents::Text(_)));
}

#[tokio::test]
async fn not_modified_is_not_an_error() {
    let (client, mut script) = connect().await;
    let error = json!({"error": {"code": 304, "message": "Not Modified",
        "data": {"uri": "demo:a", "version": "1"}}});
    let asking = async { soon(client.get_resource("demo:a").unless("1")).await };
    let (answer, asked) = tokio::join!(asking, script.answer_next(error));
    assert_eq!(asked["params"]["version"], "1");
    assert_eq!(answer.expect("no failure"), Current::NotModified);

    let asking = async { soon(client.get_resource("demo:a").unless("1")).await };
    let (answer, _) = tokio::join!(asking, script.answer_next(page("2")));
    match answer.expect("an answer") {
        Current::Changed(page) => assert_eq!(page.resource.version.as_deref(), Some("2")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn other_error_codes_are_errors() {
    let (client, mut script) = connect().await;
    let error = json!({"error": {"code": -32602, "message": "no such resource"}});
    let asking = async { soon(client.get_resource("demo:a").unless("1")).await };
    let (answer, _) = tokio::join!(asking, script.answer_next(error));
    match answer {
        Err(CallError::Refused { source, .. }) => assert_eq!(source.code, -32602),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn filter_is_sent_unchanged() {
    let (client, mut script) = connect().await;
    let list = client.resources_where([("kind", "file")]).expect("spoken");
    let page = json!({"result": {
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "resources": [],
    }});
    let (listed, asked) = tokio::join!(async { soon(list.all()).await }, script.answer_next(page));
    assert_eq!(asked["params"]["filter"], json!({"kind": "file"}));
    assert!(listed.expect("a list").items.is_empty());
}

fn changed(subscription: &Value, version: usize) -> Value {
    let mut params = json!({"resource": {
        "uri": "demo:a", "name": "a", "version": version.to_string(),
    }});
    if !subscription.is_null() {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": subscription});
    }
    params
}

const CHANGED: &str = "notifications/resources/content_changed";

#[tokio::test]
async fn subscription_receives_the_current_resource() {
    let (client, mut script) = connect().await;
    let filter = SubscriptionFilter::new()
        .resource_subscriptions(["demo:a".to_owned(), "demo:b".to_owned()]);
    let mut events = client.listen(filter);
    let asked = script.read().await;
    assert_eq!(asked["method"], "subscriptions/listen");
    let id = &asked["id"];
    let notifications = &asked["params"]["notifications"];
    assert_eq!(
        notifications["resourceSubscriptions"],
        json!(["demo:a", "demo:b"])
    );
    let params = json!({
        "notifications": notifications,
        "_meta": {"io.modelcontextprotocol/subscriptionId": id},
    });
    script
        .notify("notifications/subscriptions/acknowledged", params)
        .await;
    assert!(matches!(
        soon(events.next()).await,
        Some(Ok(SubscriptionEvent::Listening(_)))
    ));
    // A slow reader receives the last version, once.
    for version in 1..=5 {
        script.notify(CHANGED, changed(id, version)).await;
    }
    let pong = json!({"result": {"resultType": "complete", "content": []}});
    let calling = async { soon(client.call_tool("ping")).await };
    let (done, _) = tokio::join!(calling, script.answer_next(pong));
    done.expect("all before it was read");
    match soon(events.next()).await {
        Some(Ok(SubscriptionEvent::ResourceContentChanged(resource))) => {
            assert_eq!(resource.version.as_deref(), Some("5"));
        }
        other => panic!("{other:?}"),
    }
    script.notify(CHANGED, changed(id, 6)).await;
    match soon(events.next()).await {
        Some(Ok(SubscriptionEvent::ResourceContentChanged(resource))) => {
            assert_eq!(resource.version.as_deref(), Some("6"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn several_resources_are_subscribed_with_one_request() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hearing = Arc::clone(&heard);
    let builder = builder().on_notification::<ResourceContentChangedNotification>(move |params| {
        let version = params.resource.version;
        hearing.lock().expect("no panic").push(version);
    });
    let (client, mut script) = modern(builder, &[NAME]).await;
    let empty = || json!({"result": {"resultType": "complete"}});
    let asking = async { soon(client.subscribe_resources(["demo:a", "demo:b"])).await };
    let (done, asked) = tokio::join!(asking, script.answer_next(empty()));
    done.expect("subscribed");
    assert_eq!(asked["method"], "resources/subscribe");
    assert_eq!(asked["params"]["uris"], json!(["demo:a", "demo:b"]));
    script.notify(CHANGED, changed(&Value::Null, 1)).await;
    let asking = async { soon(client.unsubscribe_resources(["demo:a"])).await };
    let (done, asked) = tokio::join!(asking, script.answer_next(empty()));
    done.expect("not any more");
    assert_eq!(asked["method"], "resources/unsubscribe");
    assert_eq!(asked["params"]["uris"], json!(["demo:a"]));
    assert_eq!(*heard.lock().expect("no panic"), [Some("1".to_owned())]);
}

#[tokio::test]
async fn change_notification_invalidates_the_cache() {
    let (client, mut script) = modern(builder().cache(Cache::new()), &[NAME]).await;
    let contents = |text: &str| {
        json!({"result": {
            "resultType": "complete", "ttlMs": 60_000, "cacheScope": "private",
            "contents": [{"uri": "demo:a", "text": text}],
        }})
    };
    let reading = async { soon(client.read_resource("demo:a")).await };
    let (read, _) = tokio::join!(reading, script.answer_next(contents("old")));
    assert_eq!(read.expect("contents").text(), "old");
    let kept = soon(client.read_resource("demo:a")).await;
    assert_eq!(kept.expect("kept").text(), "old");

    script.notify(CHANGED, changed(&Value::Null, 2)).await;
    let pong = json!({"result": {"resultType": "complete", "content": []}});
    let calling = async { soon(client.call_tool("ping")).await };
    let (done, _) = tokio::join!(calling, script.answer_next(pong));
    done.expect("all before it was read");
    let reading = async { soon(client.read_resource("demo:a")).await };
    let (read, _) = tokio::join!(reading, script.answer_next(contents("new")));
    assert_eq!(read.expect("contents").text(), "new");
}
