//! States of tasks of upstreams, for the clients that subscribed to them.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Client, StartedCall, Subscription, SubscriptionEvent};
use mcp_gateway::Gateway;
use mcp_server::middleware::{Next, Outcome, Request, from_fn};
use mcp_server::types::{Revision, SubscriptionFilter};
use mcp_server::{Server, ServerBuilder, TaskOptions, ToolDef};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{at, client, gateway, soon, user};

/// An upstream whose tasks end one after the other, each when it is allowed to.
fn studio(film: &'static str, go: &Arc<Notify>) -> ServerBuilder {
    let go = Arc::clone(go);
    let render = ToolDef::new("render").description("Renders a film");
    let render = render.handler(move || {
        let go = Arc::clone(&go);
        async move {
            go.notified().await;
            film
        }
    });
    let tasks = mcp_server::Tasks::new().poll_interval(Duration::from_millis(10));
    let builder = Server::builder("studio", "1").extension(tasks);
    builder.add_tool(render.as_task(TaskOptions::new()))
}

async fn studios(go: &Arc<Notify>) -> Gateway {
    let upstream = |name, film| {
        at(
            name,
            Revision::LATEST,
            &studio(film, go).build().expect("valid"),
        )
    };
    gateway([upstream("a", "a.mp4"), upstream("b", "b.mp4")]).await
}

async fn started(client: &Client, tool: &str) -> String {
    match soon(client.call_tool(tool).start_task())
        .await
        .expect("called")
    {
        StartedCall::Task(task) => task.id().to_owned(),
        StartedCall::Finished(result) => panic!("{result:?}"),
    }
}

/// Subscribes to tasks, and returns the ids that the gateway acknowledges.
async fn watch(client: &Client, ids: &[&str]) -> (Subscription, Vec<String>) {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    let mut subscription = client.listen(SubscriptionFilter::new().task_ids(ids));
    match soon(subscription.next()).await {
        Some(Ok(SubscriptionEvent::Listening(filter))) => {
            (subscription, filter.task_ids.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the next state that a client gets.
async fn state(subscription: &mut Subscription) -> Value {
    match soon(subscription.next()).await {
        Some(Ok(SubscriptionEvent::Other { method, params })) => {
            assert_eq!(method, "notifications/tasks");
            serde_json::from_str(params.expect("params").get()).expect("JSON")
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn states_of_tasks_reach_the_clients_that_subscribed() {
    let go = Arc::default();
    let gateway = studios(&go).await;
    let client = user(&gateway, "ada", Revision::LATEST).await;
    // The tasks of both upstreams end in this order.
    let (first, second) = (
        started(&client, "a_render").await,
        started(&client, "b_render").await,
    );
    let (mut subscription, ids) = watch(&client, &[&first, &second, &first]).await;
    assert_eq!(ids, [&*first, &*second]);
    let mut working = Vec::new();
    for _ in 0..2 {
        let state = state(&mut subscription).await;
        assert_eq!(state["status"], "working", "{state}");
        working.push(state["taskId"].as_str().expect("an id").to_owned());
    }
    working.sort();
    assert_eq!(working, [&*first, &*second]);
    for (id, film) in [(&first, "a.mp4"), (&second, "b.mp4")] {
        go.notify_one();
        let state = state(&mut subscription).await;
        assert_eq!(
            (&state["taskId"], &state["status"]),
            (&json!(id), &json!("completed"))
        );
        assert_eq!(state["result"]["content"][0]["text"], film, "{state}");
    }
}

#[tokio::test]
async fn states_of_tasks_reach_no_other_client() {
    let go = Arc::default();
    let gateway = studios(&go).await;
    let ada = user(&gateway, "ada", Revision::LATEST).await;
    let bob = user(&gateway, "bob", Revision::LATEST).await;
    let of_ada = started(&ada, "a_render").await;
    let of_bob = started(&bob, "a_render").await;
    let (mut seen_by_ada, _) = watch(&ada, &[&of_ada]).await;
    let invented = of_bob.replacen("a.", "b.", 1);
    let (mut seen_by_bob, ids) = watch(&bob, &[&of_ada, &of_bob, &invented]).await;
    assert_eq!(ids, [&*of_bob]);
    for (seen, id) in [(&mut seen_by_ada, &of_ada), (&mut seen_by_bob, &of_bob)] {
        for status in ["working", "completed"] {
            let state = state(seen).await;
            assert_eq!(
                (&state["taskId"], &state["status"]),
                (&json!(id), &json!(status))
            );
            go.notify_one();
        }
    }
}

#[tokio::test]
async fn upstream_sends_no_states_of_tasks_that_the_client_did_not_name() {
    // Sends the state of the task of another client, too.
    let listen = async |request: Request, next: Next| -> Outcome {
        let filter: Value = request.param("notifications")?.unwrap_or_default();
        if request.method() != "subscriptions/listen" || filter["taskIds"].is_null() {
            return next.run(request).await;
        }
        let cx = request.context();
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": cx.request_id() });
        let acknowledged = json!({ "notifications": filter, "_meta": meta });
        let method = "notifications/subscriptions/acknowledged";
        cx.notify_json(method, Some(&acknowledged)).await?;
        for id in [&json!("of another client"), &filter["taskIds"][0]] {
            let state = json!({ "taskId": id, "status": "working", "_meta": meta });
            cx.notify_json("notifications/tasks", Some(&state)).await?;
        }
        pending().await
    };
    let server = studio("a.mp4", &Arc::default()).layer(from_fn(listen));
    let server = server.build().expect("valid");
    let gateway = gateway([at("a", Revision::LATEST, &server)]).await;
    let client = user(&gateway, "ada", Revision::LATEST).await;
    let id = started(&client, "render").await;
    let (mut subscription, _) = watch(&client, &[&id]).await;
    assert_eq!(state(&mut subscription).await["taskId"], json!(id));
}

#[tokio::test]
async fn subscriptions_to_tasks_are_bounded_and_need_the_extension() {
    let gateway = studios(&Arc::default()).await;
    let with_tasks = user(&gateway, "ada", Revision::LATEST).await;
    let without = client(&gateway, Revision::LATEST).await;
    for (client, ids, code) in [(&with_tasks, 101, -32602), (&without, 1, -32021)] {
        let ids = vec!["a.1.1".to_owned(); ids];
        let mut subscription = client.listen(SubscriptionFilter::new().task_ids(ids));
        match soon(subscription.next()).await {
            Some(Err(error)) => assert_eq!(error.code(), Some(code), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
