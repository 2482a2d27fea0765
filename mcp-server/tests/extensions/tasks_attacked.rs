//! Tasks and clients that try what they should not.

use std::time::Duration;

use mcp_server::middleware::{self, Next, Request};
use mcp_server::{
    Context, HandlerError, Memory, Server, TaskOptions, Tasks, ToolDef, ValueStore as _,
};
use serde_json::json;

use super::tasks::{builder, connect, get, reach, start, task};

/// A tool that nobody may call.
fn locked() -> ToolDef {
    ToolDef::new("locked")
        .guard(async || Err(HandlerError::forbidden("nobody may")))
        .handler(async || "opened")
}

#[tokio::test]
async fn layer_that_renames_the_tool_does_not_evade_its_guard() {
    let rename = |request: Request, next: Next| async move {
        match request.param::<String>("name")?.as_deref() {
            Some("open") => {
                next.run(request.with_params(&json!({ "name": "locked" }))?)
                    .await
            }
            _ => next.run(request).await,
        }
    };
    let server = builder(task("open").handler(async || "opened"))
        .inner_layer(middleware::from_fn(rename))
        .add_tool(locked())
        .build()
        .unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "open").await;
    let ended = reach(&mut peer, &id, "failed").await;
    assert_eq!(ended["error"]["message"], "nobody may", "{ended}");
}

#[tokio::test]
async fn refused_calls_leave_nothing_in_the_store() {
    let store = Memory::new();
    let server = builder(task("wait").handler(std::future::pending::<()>))
        .store(store.clone())
        .keys(mcp_server::Keys::from_bytes([7; 32]))
        .build()
        .unwrap();
    let mut peer = connect(&server);
    let large = json!({ "name": "wait", "arguments": {}, "x": "y".repeat(300 << 10) });
    for _ in 0..3 {
        assert_eq!(peer.error("tools/call", large.clone()).await.0, -32602);
    }
    let id = start(&mut peer, "wait").await;
    let processes = store.keys("task-processes", 10).await.unwrap();
    let mut owned = Vec::new();
    for process in processes {
        let process = process.trim_start_matches("task-process:").to_owned();
        owned = store
            .keys(&format!("tasks-of:{process}"), 10)
            .await
            .unwrap();
    }
    assert!(owned.iter().all(|key| key.ends_with(&id)), "{owned:?}");
}

/// The task keeps the headers of the call.
#[cfg(feature = "http")]
#[tokio::test]
async fn headers_of_calls_count_for_the_memory_of_tasks() {
    use crate::support::raw::{Raw, call, call_headers, with_header};

    let mut limits = mcp_server::Limits::default();
    // A peer may use a quarter of it.
    limits.retained_bytes = 4 * (200 << 10);
    let server = builder(task("wait").handler(std::future::pending::<()>))
        .limits(limits)
        .build()
        .unwrap();
    let serving = server.serve_http("127.0.0.1:0").unwrap();
    let mut raw = Raw::connect(serving.local_addr()).await;
    tokio::spawn(serving);
    let extensions = json!({ "extensions": { super::tasks::TASKS: {} } });
    let capabilities = r#"clientCapabilities":"#;
    let call = call(1, "wait").replace(
        &format!("{capabilities}{{}}"),
        &format!("{capabilities}{extensions}"),
    );
    let large = with_header(call_headers("wait"), "X-Large", &"x".repeat(24 << 10));
    let mut accepted = 0;
    let refusal = loop {
        let (_, body) = raw.ask("POST", &large, &call).await;
        if !body.contains("taskId") {
            break body;
        }
        accepted += 1;
    };
    assert!(refusal.contains("too much memory"), "{refusal}");
    // Each counts 48 KiB for the header, and less than 20 KiB for the rest.
    assert!((2..=4).contains(&accepted), "{accepted}");
}

#[tokio::test]
async fn subscription_names_few_tasks_and_reads_only_ids_of_tasks() {
    let server = Server::builder("test", "1")
        .extension(Tasks::new().watched(2))
        .add_tool(task("wait").handler(std::future::pending::<()>))
        .build()
        .unwrap();
    let mut peer = connect(&server);
    let naming = |ids: &[&str]| json!({ "notifications": { "taskIds": ids } });
    let unknown = "0".repeat(32);
    let three = naming(&[&*unknown; 3]);
    let (code, message) = peer.error("subscriptions/listen", three).await;
    assert_eq!(code, -32602);
    assert!(
        message.contains("taskIds has 3 ids, the limit is 2"),
        "{message}"
    );
    let operations = || server.metrics().store.operations;
    let before = operations();
    let (long, other) = ("0".repeat(100_000), "g".repeat(32));
    peer.start("subscriptions/listen", naming(&[&*long, &*other]))
        .await;
    let acknowledged = peer.receive().await;
    let accepted = &acknowledged["params"]["notifications"];
    assert_eq!(accepted["taskIds"], json!([]), "{acknowledged}");
    assert_eq!(operations(), before);
    peer.start("subscriptions/listen", naming(&[&*unknown]))
        .await;
    peer.receive().await;
    assert_eq!(operations(), before + 1);
}

#[tokio::test]
async fn task_that_a_handler_spawned_ends_with_it() {
    let (sender, mut ended) = tokio::sync::mpsc::channel(1);
    let work = move |cx: Context| {
        let sender = sender.clone();
        async move {
            tokio::spawn(async move {
                let asked = cx.roots().await;
                let _ = sender.send(asked.is_err()).await;
            });
            std::future::pending::<()>().await;
        }
    };
    let server = builder(
        ToolDef::new("work")
            .handler(work)
            .as_task(TaskOptions::new()),
    )
    .build()
    .unwrap();
    let mut peer = connect(&server);
    peer.capabilities["roots"] = json!({});
    let id = start(&mut peer, "work").await;
    reach(&mut peer, &id, "input_required").await;
    peer.result("tasks/cancel", json!({ "taskId": id })).await;
    reach(&mut peer, &id, "cancelled").await;
    let ended = tokio::time::timeout(Duration::from_secs(10), ended.recv()).await;
    assert_eq!(ended.unwrap(), Some(true));
    get(&mut peer, &id).await;
}
