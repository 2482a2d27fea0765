//! Tasks of upstreams.

use std::time::Duration;

use mcp_client::{Client, Http, StartedCall, Tasks};
use mcp_gateway::Gateway;
use mcp_server::types::{Revision, ToolsCapability, json};
use mcp_server::{
    AnyRequest, AnyResult, Context, HandlerError, Keys, Server, TaskOptions, ToolDef,
};
use serde_json::value::RawValue;

use crate::support::{Count, at, client, connect, gateway, soon, user};

fn studio(film: &'static str) -> Server {
    let render = ToolDef::new("render").description("Renders a film");
    let render = render.handler(move || async move { film });
    let builder = Server::builder("studio", "1")
        .extension(mcp_server::Tasks::new().poll_interval(Duration::from_millis(10)));
    let builder = builder.add_tool(render.as_task(TaskOptions::new()));
    builder.build().expect("valid")
}

async fn studios() -> Gateway {
    let first = at("a", Revision::LATEST, &studio("a.mp4"));
    gateway([first, at("b", Revision::LATEST, &studio("b.mp4"))]).await
}

#[tokio::test]
async fn tasks_of_upstreams_are_followed_over_http() {
    let gateway = studios().await;
    let serving = gateway.server().serve_http("127.0.0.1:0").expect("bound");
    let http = Http::new(format!("http://{}/mcp", serving.local_addr()));
    tokio::spawn(serving.into_future());
    let builder = Client::builder("test", "1").extension(Tasks::new());
    let client = soon(builder.connect(http)).await.expect("connected");
    for (tool, film) in [("a_render", "a.mp4"), ("b_render", "b.mp4")] {
        let StartedCall::Task(task) = soon(client.call_tool(tool).start_task())
            .await
            .expect("called")
        else {
            panic!("the upstream answers with a task");
        };
        assert_eq!(soon(task.wait()).await.expect("finished").text(), film);
        task.cancel().await.expect("cancelling is idempotent");
    }
}

#[tokio::test]
async fn task_belongs_to_the_user_who_called_the_tool() {
    let gateway = studios().await;
    let (ada, bob) = (
        user(&gateway, "ada", Revision::LATEST).await,
        user(&gateway, "bob", Revision::LATEST).await,
    );
    let started = soon(ada.call_tool("a_render").start_task()).await;
    let StartedCall::Task(task) = started.expect("called") else {
        panic!("the upstream answers with a task");
    };
    let id = task.id().to_owned();
    let moved = id.replacen("a.", "b.", 1);
    for (user, id) in [(&bob, &id), (&ada, &moved), (&ada, &"none".to_owned())] {
        for method in ["tasks/get", "tasks/cancel"] {
            let params = json::Object::from([("taskId", &**id)]);
            let refused = soon(user.request_json(method, &params)).await;
            let error = refused.expect_err("unknown");
            assert_eq!(error.code(), Some(-32602), "{error}");
            assert!(error.to_string().contains("unknown task"), "{error}");
        }
    }
    let finished = soon(ada.task(id).wait()).await.expect("finished");
    assert_eq!(finished.text(), "a.mp4");
}

#[tokio::test]
async fn task_is_known_to_every_gateway_with_the_same_keys() {
    let upstream = at("a", Revision::LATEST, &studio("a.mp4"));
    let with_key = async |key: u8| {
        let gateway = Gateway::builder("gateway", "1").upstream(upstream.clone());
        let keys = Keys::from_bytes([key; 32]);
        let gateway = gateway.configure(|builder| builder.keys(keys)).build();
        gateway.await.expect("the definition is valid")
    };
    let (first, restarted, other) = (with_key(1).await, with_key(1).await, with_key(2).await);
    let ada = user(&first, "ada", Revision::LATEST).await;
    let started = soon(ada.call_tool("render").start_task()).await;
    let StartedCall::Task(task) = started.expect("called") else {
        panic!("the upstream answers with a task");
    };
    let ada = user(&restarted, "ada", Revision::LATEST).await;
    let finished = soon(ada.task(task.id()).wait()).await.expect("finished");
    assert_eq!(finished.text(), "a.mp4");
    let ada = user(&other, "ada", Revision::LATEST).await;
    let unknown = soon(ada.task(task.id()).wait()).await;
    assert!(
        unknown
            .expect_err("unknown")
            .to_string()
            .contains("unknown task")
    );
}

#[tokio::test]
async fn client_without_tasks_waits_for_the_result() {
    let gateway = studios().await;
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let client = client(&gateway, revision).await;
        let called = soon(client.call_tool("b_render")).await.expect("called");
        assert_eq!(called.text(), "b.mp4");
    }
}

#[tokio::test]
async fn client_without_tasks_is_told_what_to_declare() {
    let gateway = studios().await;
    let client = client(&gateway, Revision::LATEST).await;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json::Object::from([("taskId", "a.1.1")]);
        let error = soon(client.request_json(method, &params)).await;
        assert_eq!(error.expect_err("refused").code(), Some(-32021), "{method}");
    }
}

#[tokio::test]
async fn task_that_no_client_asked_for_is_an_error_and_cancelled() {
    let cancelled = Count::default();
    let counted = cancelled.clone();
    let answer = move |_: AnyRequest, cx: Context| {
        if cx.method() == "tasks/cancel" {
            counted.add();
        }
        async {
            let task = r#"{"resultType":"task","taskId":"1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null}"#;
            let task = RawValue::from_string(task.to_owned()).expect("JSON");
            AnyResult::from_json(&task) as Result<_, HandlerError>
        }
    };
    let server = Server::builder("eager", "1")
        .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
        .fallback(answer);
    let server = server.build().expect("valid");
    let gateway = gateway([at("a", Revision::LATEST, &server)]).await;
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let builder = Client::builder("test", "1").revision(revision);
        let client = connect(&gateway, builder).await;
        let error = soon(client.call_tool("any")).await.expect_err("a task");
        let text = error.to_string();
        assert!(
            text.contains("`a` behind the gateway answered with a task"),
            "{text}"
        );
    }
    assert_eq!(cancelled.get(), 2);
}

#[tokio::test]
async fn upstream_sees_no_tasks_of_older_revisions() {
    let seen = Count::default();
    let counted = seen.clone();
    let answer = move |_: AnyRequest, _: Context| {
        counted.add();
        async { Err::<AnyResult, _>(HandlerError::internal("seen")) }
    };
    let server = Server::builder("tasks", "1").fallback(answer);
    let server = server.build().expect("valid");
    for of_upstream in [Revision::V2025_11_25, Revision::LATEST] {
        let gateway = gateway([at("a", of_upstream, &server)]).await;
        for of_client in [Revision::V2025_11_25, Revision::LATEST] {
            let client = client(&gateway, of_client).await;
            for method in ["tasks/list", "tasks/get", "tasks/result", "tasks/cancel"] {
                let params = json::Object::from([("taskId", "1")]);
                let refused = soon(client.request_json(method, &params)).await;
                let pair = format!("{of_client} -> {of_upstream}: {method}");
                let code = refused.expect_err(&pair).code();
                assert!(matches!(code, Some(-32601 | -32602)), "{pair}: {code:?}");
            }
        }
    }
    assert_eq!(seen.get(), 0);
}

#[tokio::test]
async fn call_of_an_older_revision_becomes_no_task_that_nobody_counts() {
    let answer = async |request: AnyRequest| -> Result<AnyResult, HandlerError> {
        let is_task = request.params().get().contains("\"task\"");
        let text = if is_task { "in a task" } else { "called" };
        let text =
            format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}]}}"#);
        AnyResult::from_json(&RawValue::from_string(text)?)
    };
    let server = Server::builder("studio", "1")
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .fallback(answer);
    let server = server.build().expect("valid");
    let revisions = [Revision::V2025_11_25, Revision::LATEST];
    for of_client in revisions {
        for of_upstream in revisions {
            let gateway = gateway([at("a", of_upstream, &server)]).await;
            let client = client(&gateway, of_client).await;
            let params = r#"{"name":"render","arguments":{},"task":{"ttl":60000}}"#;
            let params = RawValue::from_string(params.to_owned()).expect("JSON");
            let called = soon(client.request_json("tools/call", &*params)).await;
            let called = called.expect("called");
            // In 2026-07-28 the member has no meaning, and passes as it is.
            let is_unknown = of_client.is_modern() && of_upstream.is_modern();
            let expected = if is_unknown { "in a task" } else { "called" };
            assert!(
                called.get().contains(expected),
                "{of_client} -> {of_upstream}: {called}"
            );
        }
    }
}

#[tokio::test]
async fn user_has_a_share_of_the_tasks_of_an_upstream() {
    let is_open = tokio::sync::watch::Sender::new(false);
    let waiting = is_open.clone();
    let render = ToolDef::new("render").description("Renders a film");
    let render = render.handler(move || {
        let mut is_open = waiting.subscribe();
        async move {
            let _ = is_open.wait_for(|is_open| *is_open).await;
            "film"
        }
    });
    let builder = Server::builder("studio", "1")
        .extension(mcp_server::Tasks::new().poll_interval(Duration::from_millis(10)))
        .add_tool(render.as_task(TaskOptions::new()));
    let upstream = at("a", Revision::LATEST, &builder.build().expect("valid"));
    let upstream = upstream.limits(|limits| limits.tasks = 8);
    let gateway = gateway([upstream]).await;
    let eve = user(&gateway, "eve", Revision::LATEST).await;
    let bob = user(&gateway, "bob", Revision::LATEST).await;
    let start = async |client: &Client| soon(client.call_tool("render").start_task()).await;
    let mut tasks = Vec::new();
    for _ in 0..2 {
        let StartedCall::Task(task) = start(&eve).await.expect("within the share") else {
            panic!("the upstream answers with a task");
        };
        tasks.push(task.id().to_owned());
    }
    let Err(error) = start(&eve).await else {
        panic!("the task is beyond the share");
    };
    assert!(error.to_string().contains("busy"), "{error}");
    start(&bob).await.expect("another user");
    is_open.send_replace(true);
    let film = soon(eve.task(tasks.remove(0)).wait())
        .await
        .expect("finished");
    assert_eq!(film.text(), "film");
    start(&eve).await.expect("one has ended");
}
