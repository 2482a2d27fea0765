//! Upstreams that are replaced, and gateways that are started again.

use std::time::Duration;

use mcp_client::SubscriptionEvent;
use mcp_gateway::Gateway;
use mcp_server::types::{BooleanSchema, Revision, SubscriptionFilter, json};
use mcp_server::{Context, Form, HandlerError, Keys, ResourceDef, Server};
use serde_json::value::RawValue;

use crate::support::{at, client, connect, soon};

fn notes() -> Server {
    let note = ResourceDef::new("notes://one", "one").handler(async || "text");
    let builder = Server::builder("notes", "1").add_resource(note);
    builder.build().expect("valid")
}

#[tokio::test]
async fn subscriptions_move_to_an_upstream_that_replaces_another_one() {
    for (of_client, of_upstream) in [
        (Revision::V2025_11_25, Revision::V2025_11_25),
        (Revision::V2025_11_25, Revision::LATEST),
        (Revision::LATEST, Revision::V2025_11_25),
        (Revision::LATEST, Revision::LATEST),
    ] {
        let gateway = Gateway::builder("gateway", "1").changing();
        let gateway = gateway.upstream(at("a", of_upstream, &notes()));
        let gateway = gateway.build().await.expect("valid");
        let client = client(&gateway, of_client).await;
        let filter = SubscriptionFilter::new();
        let filter = filter.resource_subscriptions(["a+notes://one".to_owned()]);
        let mut subscription = client.listen(filter);
        let event = soon(subscription.next()).await.expect("an event");
        event.expect("listening");
        let second = notes();
        let replaced = gateway.set_upstream(at("a", of_upstream, &second)).await;
        replaced.expect("valid");
        let changing = tokio::spawn(async move {
            loop {
                second.resource_updated("notes://one");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        let updated = async {
            loop {
                let event = subscription.next().await.expect("an event");
                if let SubscriptionEvent::ResourceUpdated(updated) = event.expect("listening") {
                    return updated.uri;
                }
            }
        };
        let updated = tokio::time::timeout(Duration::from_secs(20), updated).await;
        let pair = format!("{of_client} -> {of_upstream}");
        assert_eq!(updated.expect(&pair), "a+notes://one");
        changing.abort();
    }
}

#[tokio::test]
async fn resources_of_a_replaced_upstream_may_have_changed() {
    for of_upstream in [Revision::V2025_11_25, Revision::LATEST] {
        let gateway = Gateway::builder("gateway", "1").changing();
        let gateway = gateway.upstream(at("a", of_upstream, &notes()));
        let gateway = gateway.build().await.expect("valid");
        let client = client(&gateway, Revision::LATEST).await;
        let filter = SubscriptionFilter::new();
        let filter = filter.resource_subscriptions(["a+notes://one".to_owned()]);
        let mut subscription = client.listen(filter);
        let event = soon(subscription.next()).await.expect("an event");
        event.expect("listening");
        let replaced = gateway.set_upstream(at("a", of_upstream, &notes())).await;
        replaced.expect("valid");
        let event = soon(subscription.next()).await.expect("an event");
        match event.expect("listening") {
            SubscriptionEvent::ResourceUpdated(updated) => {
                assert_eq!(updated.uri, "a+notes://one", "{of_upstream}");
            }
            other => panic!("{of_upstream}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn answers_reach_a_modern_upstream_through_a_gateway_that_was_started_again() {
    let ask = async |cx: Context| {
        let form = Form::new("Sure?").required("ok", BooleanSchema::new());
        Ok::<_, HandlerError>(cx.elicit(form).await?.accepted().is_some().to_string())
    };
    let server = Server::builder("asking", "1").tool("ask", "Asks", ask);
    let server = server.build().expect("valid");
    let started = async || {
        let upstream = at("a", Revision::LATEST, &server).lazy();
        let gateway = Gateway::builder("gateway", "1").upstream(upstream);
        let keys = Keys::from_bytes([1; 32]);
        let gateway = gateway.configure(|builder| builder.keys(keys)).build();
        gateway.await.expect("the definition is valid")
    };
    let builder = || {
        let builder = mcp_client::Client::builder("test", "1");
        builder.on_elicit_form(|_| async { Err("unused".into()) })
    };
    let first = started().await;
    let client = connect(&first, builder()).await;
    let call = json::Object::from([("name", "ask")]);
    let asked = soon(client.request_json("tools/call", &call)).await;
    let asked: serde_json::Value = serde_json::from_str(asked.expect("asked").get()).expect("JSON");
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let key = asked["inputRequests"]
        .as_object()
        .expect("questions")
        .keys();
    let answers: serde_json::Map<_, _> = key
        .map(|key| {
            let answer = serde_json::json!({ "action": "accept", "content": { "ok": true } });
            (key.clone(), answer)
        })
        .collect();
    let again = serde_json::json!({
        "name": "ask",
        "inputResponses": answers,
        "requestState": asked["requestState"],
    });
    let second = started().await;
    let client = connect(&second, builder()).await;
    let again = serde_json::value::to_raw_value(&again).expect("JSON");
    let called = soon(client.request_json("tools/call", &*again)).await;
    let called: Box<RawValue> = called.expect("the upstream knows its state");
    assert!(called.get().contains("true"), "{called}");
}
