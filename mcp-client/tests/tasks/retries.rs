//! Polls that fail for a while.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{CallError, Limits, TaskError};
use serde_json::{Value, json};

use super::{TASKS, announced, builder, completed, state};
use crate::http::fake::FakeHttp;
use crate::support::script::Script;
use crate::support::soon;

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[tokio::test]
async fn busy_and_unreachable_servers_are_asked_again() {
    let mut fake = FakeHttp::start().await;
    let mut limits = Limits::default();
    limits.retry_first = Duration::from_millis(20);
    let connecting = tokio::spawn(builder().limits(limits).connect(fake.http()));
    let asked = fake.message("server/discover").await;
    let latest = Revision::LATEST.as_str();
    let capabilities = json_of(TASKS);
    let discovered = json!({"resultType": "complete", "supportedVersions": [latest],
        "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private"});
    asked.result(&discovered).await;
    let client = soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");
    let asking = r#","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{}}}}}"#;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    let asked = fake.message("tools/call").await;
    asked.result(&json_of(&announced())).await;
    for status in ["503 Service Unavailable", "429 Too Many Requests"] {
        fake.message("tasks/get").await.status(status).await;
    }
    // The connection is closed without a response.
    drop(fake.message("tasks/get").await);
    let asked = fake.message("tasks/get").await;
    asked.result(&json_of(&completed("done"))).await;
    let result = soon(calling).await.expect("no panic").expect("a result");
    assert_eq!(result.text(), "done");

    // The connection of this client has no handler for it.
    let calling = tokio::spawn(client.call_tool("render").into_future());
    let asked = fake.message("tools/call").await;
    asked.result(&json_of(&announced())).await;
    let asked = fake.message("tasks/get").await;
    asked
        .result(&json_of(&state("input_required", asking)))
        .await;
    let called = soon(calling).await.expect("no panic").map(drop);
    assert!(matches!(called, Err(CallError::Input { .. })), "{called:?}");
    fake.message("tasks/cancel").await;
}

#[tokio::test]
async fn unknown_task_ends_the_call_and_is_not_cancelled() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    super::announce(&mut script).await;
    let asked = script.receive_request("tasks/get").await;
    let error = r#"{"code":-32602,"message":"expired"}"#;
    let id = &asked["id"];
    script
        .send(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
        .await;
    let called = soon(calling).await.expect("no panic").map(drop);
    assert!(
        matches!(called, Err(CallError::Task(TaskError::Unknown { .. }))),
        "{called:?}"
    );
    drop(client);
    assert!(script.ended().await, "nothing more is sent");
}

#[tokio::test]
async fn lost_connection_ends_the_call() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    super::announce(&mut script).await;
    script.receive_request("tasks/get").await;
    drop(script);
    let called = soon(calling).await.expect("no panic").map(drop);
    assert!(matches!(called, Err(CallError::Lost { .. })), "{called:?}");
}
