//! `io.modelcontextprotocol/tasks` in one process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use mcp_server::middleware::{self, Next, Request};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{
    Context, Extensions, HandlerError, Principal, Server, ServerBuilder, TaskOptions, Tasks,
    ToolDef,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::peer::{Peer, soon};

pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Creates a client that knows tasks.
pub(super) fn connect(server: &Server) -> Peer {
    let mut peer = Peer::modern(server);
    peer.capabilities = json!({ "elicitation": {}, "extensions": { TASKS: {} } });
    peer
}

/// Creates a server with one tool, which runs as a task.
pub(super) fn builder(tool: ToolDef) -> ServerBuilder {
    Server::builder("test", "1")
        .extension(Tasks::new())
        .add_tool(tool)
}

pub(super) fn task(name: &str) -> ToolDef {
    ToolDef::new(name).as_task(TaskOptions::new())
}

/// Calls a tool, which has to become a task. Returns its id.
pub(super) async fn start(peer: &mut Peer, tool: &str) -> String {
    let created = peer.call(tool, json!({})).await;
    assert_eq!(created["resultType"], "task", "{created}");
    created["taskId"].as_str().unwrap().to_owned()
}

pub(super) async fn get(peer: &mut Peer, id: &str) -> Value {
    let task = peer.result("tasks/get", json!({ "taskId": id })).await;
    assert_eq!(task["resultType"], "complete", "{task}");
    task
}

/// Polls a task until a condition holds.
pub(super) async fn until(peer: &mut Peer, id: &str, holds: impl Fn(&Value) -> bool) -> Value {
    soon(async {
        loop {
            let task = get(peer, id).await;
            if holds(&task) {
                return task;
            }
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Polls a task until it has a status.
pub(super) async fn reach(peer: &mut Peer, id: &str, status: &str) -> Value {
    until(peer, id, |task| task["status"] == status).await
}

pub(super) async fn update(peer: &mut Peer, id: &str, responses: Value) {
    let params = json!({ "taskId": id, "inputResponses": responses });
    let result = peer.result("tasks/update", params).await;
    assert_eq!(result["resultType"], "complete", "{result}");
    assert!(result["status"].is_null(), "{result}");
}

pub(super) fn accept(content: Value) -> Value {
    let mut answer = json!({ "action": "accept" });
    answer["content"] = content;
    answer
}

async fn slow(cx: Context) -> Result<String, HandlerError> {
    cx.progress(1, Some(2.0), "halfway").await?;
    sleep(Duration::from_millis(20)).await;
    Ok("done".to_owned())
}

#[tokio::test]
async fn call_becomes_a_task_and_its_result_is_fetched() {
    let server = builder(task("slow").handler(slow)).build().unwrap();
    let mut peer = connect(&server);
    let discovered = peer.result("server/discover", json!({})).await;
    let announced = &discovered["capabilities"]["extensions"][TASKS];
    assert_eq!(announced, &json!({}), "{discovered}");
    let created = peer.call("slow", json!({})).await;
    assert_eq!(created["status"], "working", "{created}");
    let two_hours = 2 * 60 * 60 * 1000;
    assert_eq!(
        (&created["ttlMs"], &created["pollIntervalMs"]),
        (&json!(two_hours), &json!(1000))
    );
    let id = created["taskId"].as_str().unwrap();
    assert_eq!(id.len(), 32);
    let ended = reach(&mut peer, id, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "done", "{ended}");
    assert_eq!(ended["result"]["resultType"], "complete", "{ended}");
    assert_eq!(ended["createdAt"], created["createdAt"]);
    assert!(ended["ttlMs"].as_u64().unwrap() < two_hours, "{ended}");
    let again = get(&mut peer, id).await;
    assert_eq!(again, ended);
}

#[tokio::test]
async fn client_without_the_extension_gets_the_result_or_an_error() {
    let options = TaskOptions::new().required();
    let server = builder(task("slow").handler(slow))
        .add_tool(ToolDef::new("only").handler(slow).as_task(options))
        .build()
        .unwrap();
    for revision in [None, Some("2025-11-25")] {
        let mut peer = match revision {
            None => Peer::modern(&server),
            Some(revision) => Peer::legacy(&server, revision).await,
        };
        assert!(peer.announced["extensions"][TASKS].is_null());
        let result = peer.call("slow", json!({})).await;
        assert_eq!(result["content"][0]["text"], "done", "{result}");
        let answer = peer.request("tools/call", json!({ "name": "only" })).await;
        if revision.is_none() {
            let error = &answer["error"];
            assert_eq!(error["code"], -32021, "{answer}");
            let required = &error["data"]["requiredCapabilities"]["extensions"];
            assert_eq!(required[TASKS], json!({}), "{answer}");
            for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
                let params = json!({ "taskId": "x", "inputResponses": {} });
                assert_eq!(peer.error(method, params).await.0, -32021, "{method}");
            }
        } else {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}

#[tokio::test]
async fn progress_is_the_message_of_the_task() {
    let work = |cx: Context| async move {
        cx.progress(1, Some(2.0), "halfway").await?;
        std::future::pending::<Result<(), HandlerError>>().await
    };
    let server = builder(task("work").handler(work)).build().unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "work").await;
    until(&mut peer, &id, |task| task["statusMessage"] == "halfway").await;
    let task = peer.request("tasks/get", json!({ "taskId": id })).await;
    let progress = &task["result"]["_meta"]["mcp-server/progress"];
    let expected = json!({ "progress": 1.0, "total": 2.0, "message": "halfway" });
    assert_eq!(progress, &expected, "{task}");
    let mut watcher = connect(&server);
    let listen = json!({ "notifications": { "taskIds": [id] } });
    let subscription = watcher.start("subscriptions/listen", listen).await;
    watcher.receive().await;
    let notified = watcher.receive().await;
    let meta = json!({
        "mcp-server/progress": expected,
        "io.modelcontextprotocol/subscriptionId": subscription,
    });
    assert_eq!(notified["params"]["_meta"], meta, "{notified}");
    // Nothing but responses was sent.
    assert_eq!(
        peer.request_alone("tools/list", json!({})).await["error"],
        Value::Null
    );
}

#[tokio::test]
async fn failures_are_results_and_errors_fail_the_task() {
    let protocol = async || {
        let error = ErrorObject::new(-32050, "no").data("why");
        Err::<(), _>(HandlerError::from(error))
    };
    let panic = async || -> String { panic!("on purpose") };
    let server = builder(task("tool").handler(async || Err::<(), _>(HandlerError::tool("broken"))))
        .add_tool(task("protocol").handler(protocol))
        .add_tool(task("panic").handler(panic))
        .build()
        .unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "tool").await;
    let ended = reach(&mut peer, &id, "completed").await;
    assert_eq!(ended["result"]["isError"], true, "{ended}");
    let id = start(&mut peer, "protocol").await;
    let ended = reach(&mut peer, &id, "failed").await;
    let expected = json!({ "code": -32050, "message": "no", "data": "why" });
    assert_eq!(ended["error"], expected, "{ended}");
    assert!(ended["result"].is_null(), "{ended}");
    let id = start(&mut peer, "panic").await;
    let ended = reach(&mut peer, &id, "failed").await;
    assert_eq!(ended["error"]["code"], -32603, "{ended}");
}

/// Returns the text in a member of an answer.
pub(super) fn text_of(answer: &mcp_server::types::json::Object, name: &str) -> String {
    let text = answer.get(name).and_then(|value| value.as_str());
    text.unwrap_or_default().to_owned()
}

/// Set when it is dropped.
struct OnDrop(Arc<AtomicBool>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn cancelled_task_is_dropped_and_stays_cancelled() {
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let wait = move || {
        let guard = OnDrop(Arc::clone(&flag));
        async move {
            std::future::pending::<()>().await;
            drop(guard);
        }
    };
    let server = builder(task("wait").handler(wait)).build().unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "wait").await;
    for _ in 0..2 {
        let result = peer.result("tasks/cancel", json!({ "taskId": id })).await;
        assert_eq!(result["resultType"], "complete", "{result}");
        reach(&mut peer, &id, "cancelled").await;
    }
    assert!(dropped.load(Ordering::Relaxed));
    let unknown = json!({ "taskId": "0".repeat(32) });
    for method in ["tasks/cancel", "tasks/get"] {
        assert_eq!(
            peer.error(method, unknown.clone()).await.0,
            -32602,
            "{method}"
        );
    }
}

#[tokio::test]
async fn task_belongs_to_the_principal_who_called() {
    let server = builder(task("slow").handler(slow)).build().unwrap();
    let connect_as = |name: Option<&str>| {
        let name = name.map(str::to_owned);
        let mut peer = Peer::over(&server, |stream| match name {
            Some(name) => stream.extensions(Extensions::from(Principal(name))),
            None => stream,
        });
        peer.capabilities = json!({ "extensions": { TASKS: {} } });
        peer
    };
    let mut ada = connect_as(Some("ada"));
    let id = start(&mut ada, "slow").await;
    reach(&mut ada, &id, "completed").await;
    for other in [Some("eve"), Some(""), None] {
        let mut other = connect_as(other);
        let params = json!({ "taskId": id, "inputResponses": {} });
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            assert_eq!(
                other.error(method, params.clone()).await.0,
                -32602,
                "{method}"
            );
        }
    }
    reach(&mut connect_as(Some("ada")), &id, "completed").await;
}

#[tokio::test]
async fn numbers_sizes_and_times_are_limited() {
    let large = async || "x".repeat(2 << 20);
    let late = TaskOptions::new().time_limit(Duration::from_millis(50));
    let server = Server::builder("test", "1")
        .extension(Tasks::new().per_user(3).running(1))
        .add_tool(
            ToolDef::new("late")
                .handler(std::future::pending::<()>)
                .as_task(late),
        )
        .add_tool(task("large").handler(large))
        .build()
        .unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "late").await;
    let (code, message) = peer.error("tools/call", json!({ "name": "late" })).await;
    assert_eq!(code, -32603);
    assert!(message.contains("too many tasks"), "{message}");
    let ended = reach(&mut peer, &id, "failed").await;
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("time limit"), "{ended}");
    let id = start(&mut peer, "large").await;
    let ended = reach(&mut peer, &id, "failed").await;
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("bytes"), "{ended}");
    start(&mut peer, "large").await;
    let (_, message) = soon(async {
        loop {
            let error = peer.error("tools/call", json!({ "name": "large" })).await;
            if !error.1.contains("too many tasks are running") {
                return error;
            }
        }
    })
    .await;
    assert!(message.contains("3 tasks exist"), "{message}");
}

#[tokio::test]
async fn task_whose_steps_do_not_fit_fails() {
    let work = |cx: Context| async move {
        cx.once("large", async { Ok("x".repeat(300 << 10)) })
            .await?;
        std::future::pending::<Result<(), HandlerError>>().await
    };
    let server = builder(task("work").handler(work)).build().unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "work").await;
    let ended = reach(&mut peer, &id, "failed").await;
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("at most 262144"), "{ended}");
    let large = json!({ "name": "work", "arguments": {}, "x": "y".repeat(300 << 10) });
    let (code, message) = peer.error("tools/call", large).await;
    assert_eq!(code, -32602, "{message}");
}

/// Without this, such a task would keep a thread busy for ever.
#[tokio::test]
async fn task_that_almost_fills_its_record_ends() {
    let late = TaskOptions::new().time_limit(Duration::from_millis(20));
    let tool = ToolDef::new("late")
        .handler(std::future::pending::<()>)
        .as_task(late);
    let server = builder(tool).build().unwrap();
    let mut peer = connect(&server);
    let mut size = 262_144;
    let created = loop {
        let params = json!({ "name": "late", "arguments": {}, "x": "y".repeat(size) });
        let answer = peer.request("tools/call", params).await;
        let Some(message) = answer["error"]["message"].as_str() else {
            break answer;
        };
        let found = message
            .split(' ')
            .find_map(|word| word.parse::<usize>().ok());
        size -= found.unwrap() - 262_144;
    };
    let id = created["result"]["taskId"].as_str().unwrap();
    reach(&mut peer, id, "failed").await;
}

#[tokio::test]
async fn guard_is_asked_before_the_call_becomes_a_task() {
    let checks = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&checks);
    let guard = move || {
        let refused = count.fetch_add(1, Ordering::Relaxed) > 0;
        async move {
            if refused {
                return Err(HandlerError::forbidden("not again"));
            }
            Ok(())
        }
    };
    let server = builder(task("slow").guard(guard).handler(slow))
        .build()
        .unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "slow").await;
    reach(&mut peer, &id, "completed").await;
    let (code, message) = peer.error("tools/call", json!({ "name": "slow" })).await;
    assert_eq!((code, message.as_str()), (-32600, "not again"));
    assert_eq!(checks.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn layer_refuses_a_call_before_it_is_a_task_whatever_the_order() {
    let refuse = || {
        middleware::from_fn(|request: Request, next: Next| async move {
            if request.method() == "tools/call" {
                return Err(HandlerError::forbidden("not today"));
            }
            next.run(request).await
        })
    };
    let tool = || task("slow").handler(slow);
    let before = Server::builder("test", "1")
        .layer(refuse())
        .extension(Tasks::new())
        .add_tool(tool());
    let after = builder(tool()).layer(refuse());
    for builder in [before, after] {
        let server = builder.build().unwrap();
        let mut peer = connect(&server);
        let params = json!({ "name": "slow", "arguments": {} });
        let error = peer.error("tools/call", params).await;
        assert_eq!(error, (-32600, "not today".to_owned()));
    }
    // Next to the handler, the task was accepted already.
    let inner = builder(tool()).inner_layer(refuse()).build().unwrap();
    let mut peer = connect(&inner);
    let id = start(&mut peer, "slow").await;
    let failed = reach(&mut peer, &id, "failed").await;
    assert_eq!(failed["error"]["message"], "not today", "{failed}");
}
