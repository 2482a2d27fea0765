//! Tasks in a store that processes share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_server::types::StringSchema;
use mcp_server::{Context, Form, HandlerError, Memory, Server, TaskOptions, ToolDef};
use serde_json::json;

use super::tasks::{accept, builder, connect, get, reach, start, task, text_of, update};

/// Counts how often the handler and its step run.
#[derive(Clone, Default)]
struct Counts {
    handler: Arc<AtomicU32>,
    step: Arc<AtomicU32>,
}

/// Reserves something once, and then asks.
fn order(counts: &Counts) -> impl Fn(Context) -> OrderFuture + Send + Sync + 'static {
    let counts = counts.clone();
    move |cx| {
        let counts = counts.clone();
        Box::pin(async move {
            counts.handler.fetch_add(1, Ordering::Relaxed);
            let key = cx.idempotency_key("reserve").unwrap_or_default();
            let step = Arc::clone(&counts.step);
            let reserve =
                async move { Ok(format!("{key} {}", step.fetch_add(1, Ordering::Relaxed))) };
            let reserved: String = cx.once("reserve", reserve).await?;
            let form = Form::new("Which?").required("which", StringSchema::new());
            let answer = cx.elicit(form).key("which").await?.accepted();
            let which = answer.map(|answer| text_of(&answer, "which"));
            Ok(format!("{reserved} {}", which.unwrap_or_default()))
        })
    }
}

type OrderFuture = std::pin::Pin<Box<dyn Future<Output = Result<String, HandlerError>> + Send>>;

fn server(store: &Memory, counts: &Counts, options: TaskOptions) -> Server {
    let tool = ToolDef::new("order")
        .handler(order(counts))
        .as_task(options);
    let keys = mcp_server::Keys::from_bytes([7; 32]);
    builder(tool)
        .add_tool(task("wait").handler(std::future::pending::<()>))
        .store(store.clone())
        .keys(keys)
        .build()
        .unwrap()
}

#[tokio::test]
async fn any_process_reads_answers_and_cancels_a_task() {
    let (store, counts) = (Memory::new(), Counts::default());
    let one = server(&store, &counts, TaskOptions::new());
    let two = server(&store, &counts, TaskOptions::new());
    let (mut one, mut two) = (connect(&one), connect(&two));
    let id = start(&mut one, "order").await;
    reach(&mut two, &id, "input_required").await;
    update(
        &mut two,
        &id,
        json!({ "which": accept(json!({ "which": "tea" })) }),
    )
    .await;
    let ended = reach(&mut two, &id, "completed").await;
    let text = ended["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, format!("{id}:reserve 0 tea"));
    assert_eq!(get(&mut one, &id).await, ended);
    let id = start(&mut one, "wait").await;
    two.result("tasks/cancel", json!({ "taskId": id })).await;
    reach(&mut one, &id, "cancelled").await;
}

/// Runs a process until it has accepted a task and the task asks, and kills it. Returns the id.
fn accept_and_die(store: &Memory, counts: &Counts, options: TaskOptions) -> String {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let id = runtime.block_on(async {
        let server = server(store, counts, options);
        let mut peer = connect(&server);
        let id = start(&mut peer, "order").await;
        reach(&mut peer, &id, "input_required").await;
        id
    });
    runtime.shutdown_timeout(Duration::from_secs(10));
    id
}

/// Takes about 40 seconds: a process is taken to have ended after 30.
#[test]
fn task_of_a_process_that_ended_fails_or_runs_again() {
    let (store, counts) = (Memory::new(), Counts::default());
    let again = TaskOptions::new().run_again(1);
    let failing = accept_and_die(&store, &counts, TaskOptions::new());
    let running = accept_and_die(&store, &counts, again);
    assert_eq!(counts.handler.load(Ordering::Relaxed), 2);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let server = server(&store, &counts, again);
        let mut peer = connect(&server);
        // The question of the process that ended is answered before anybody has taken over.
        update(
            &mut peer,
            &running,
            json!({ "which": accept(json!({ "which": "tea" })) }),
        )
        .await;
        let ended = reach(&mut peer, &running, "completed").await;
        let text = ended["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, format!("{running}:reserve 1 tea"));
        let ended = reach(&mut peer, &failing, "failed").await;
        let message = ended["error"]["message"].as_str().unwrap();
        assert!(message.contains("process"), "{ended}");
    });
    assert_eq!(counts.handler.load(Ordering::Relaxed), 3);
    assert_eq!(counts.step.load(Ordering::Relaxed), 2);
}
