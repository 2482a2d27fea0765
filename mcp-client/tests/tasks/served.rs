//! Tasks of `mcp-server`, over a stream and HTTP.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::types::json::{Map, Number, Object, Value};
use mcp_client::types::rpc::ErrorObject;
use mcp_client::types::{ElicitAction, ElicitResult, GetTaskResult, StringSchema};
use mcp_client::{CallError, Client, ClientBuilder, Http, StartedCall, TaskError, TaskHandle};
use mcp_server::{Context, Elicited, Form, HandlerError, HttpConfig, Server, TaskOptions, ToolDef};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::builder;
use crate::support::{serve, soon};

fn tool(name: &str) -> ToolDef {
    ToolDef::new(name).as_task(TaskOptions::new())
}

/// Notifies when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn ask(cx: Context) -> Result<String, HandlerError> {
    let mut names = Vec::new();
    for question in ["First?", "Second?"] {
        let form = Form::new(question).required("name", StringSchema::new());
        if let Elicited::Accepted(answer) = cx.elicit(form).await? {
            names.push(format!("{:?}", answer.get("name")));
        }
    }
    Ok(names.concat())
}

/// Returns a server, and what is notified when the handler of `forever` is dropped.
fn server() -> (Server, Arc<Notify>) {
    let dropped = Arc::new(Notify::new());
    let guard = Arc::clone(&dropped);
    let render = async |cx: Context| -> Result<&str, HandlerError> {
        cx.progress(7.0, Some(9.0), "halfway").await?;
        sleep(Duration::from_millis(300)).await;
        Ok("film.mp4")
    };
    let fail = async || -> Result<&str, HandlerError> {
        let mut error = ErrorObject::new(-32099, "no film");
        error.data = Some(Object::from([("left", 3)]).into());
        Err(HandlerError::from(error))
    };
    let forever = move || {
        let guard = Dropped(Arc::clone(&guard));
        async move {
            let _guard = guard;
            std::future::pending::<Result<(), HandlerError>>().await
        }
    };
    let tasks = mcp_server::Tasks::new().poll_interval(Duration::from_millis(100));
    let server = Server::builder("studio", "1.0.0")
        .extension(tasks)
        .add_tool(tool("render").handler(render))
        .add_tool(tool("fail").handler(fail))
        .add_tool(tool("ask").handler(ask))
        .add_tool(tool("forever").handler(forever))
        .tool("plain", "Has no task", async || "plain")
        .build();
    (server.expect("the definition is valid"), dropped)
}

fn url(server: &Server) -> String {
    let http = mcp_server::Http::at("127.0.0.1:0").config(HttpConfig::new());
    let http = server.serve_http(http).expect("bound");
    let url = format!("http://{}/mcp", http.local_addr());
    tokio::spawn(http);
    url
}

/// Returns clients over all transports.
async fn clients(server: &Server, builder: ClientBuilder) -> [Client; 2] {
    let stream = soon(builder.clone().connect(serve(server))).await;
    let http = soon(builder.connect(Http::new(url(server)))).await;
    [stream, http].map(|client| client.expect("the server answers"))
}

async fn start(client: &Client, tool: &str) -> TaskHandle {
    match soon(client.call_tool(tool).start_task()).await {
        Ok(StartedCall::Task(task)) => task,
        other => panic!("expected a task: {other:?}"),
    }
}

#[tokio::test]
async fn call_is_driven_to_its_end_with_progress() {
    let (server, _) = server();
    for client in clients(&server, builder()).await {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&reports);
        let call = client.call_tool("render").on_progress(move |report| {
            let report = (report.progress, report.total, report.message);
            seen.lock().expect("no panic").push(report);
        });
        assert_eq!(soon(call).await.expect("a result").text(), "film.mp4");
        let reports = std::mem::take(&mut *reports.lock().expect("no panic"));
        let numbers = (
            Number::from_f64(7.0).expect("finite"),
            Number::from_f64(9.0),
        );
        assert_eq!(
            reports,
            [(numbers.0, numbers.1, Some("halfway".to_owned()))]
        );
        let plain = soon(client.call_tool("plain")).await;
        assert_eq!(plain.expect("a result").text(), "plain");
    }
}

#[tokio::test]
async fn questions_are_answered_once_by_the_handlers() {
    let (server, _) = server();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let builder = builder().on_elicit_form(move |form| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move {
            // Longer than the server asks the client to wait.
            sleep(Duration::from_millis(350)).await;
            let content = Map::from([("name", form.message)]);
            Ok(ElicitResult::new(ElicitAction::Accept).content(content))
        }
    });
    for client in clients(&server, builder).await {
        let result = soon(client.call_tool("ask")).await.expect("a result");
        let text = result.text();
        assert!(
            text.contains("First?") && text.contains("Second?"),
            "{text}"
        );
        assert_eq!(count.swap(0, Ordering::Relaxed), 2);
    }
}

#[tokio::test]
async fn error_of_a_task_is_that_of_the_call() {
    let (server, _) = server();
    for client in clients(&server, builder()).await {
        match soon(client.call_tool("fail")).await {
            Err(CallError::Refused { source, .. }) => {
                assert_eq!((source.code, &*source.message), (-32099, "no film"));
                let data = source.data.expect("data");
                assert_eq!(data.get("left").and_then(Value::as_i64), Some(3));
            }
            other => panic!("expected an error: {other:?}"),
        }
    }
}

#[tokio::test]
async fn dropped_or_late_call_cancels_its_task() {
    let (server, dropped) = server();
    for client in clients(&server, builder()).await {
        let late = client
            .call_tool("forever")
            .timeout(Duration::from_millis(300));
        let late = soon(late).await;
        assert!(matches!(late, Err(CallError::Timeout { .. })), "{late:?}");
        soon(dropped.notified()).await;

        let call = client.call_tool("forever").into_future();
        let given_up = tokio::time::timeout(Duration::from_millis(300), call).await;
        assert!(given_up.is_err(), "{given_up:?}");
        // Closing does not overtake the cancellation.
        soon(client.close()).await;
        soon(dropped.notified()).await;
    }
}

#[tokio::test]
async fn handle_survives_its_process_and_shows_the_task() {
    let (server, dropped) = server();
    let url = url(&server);
    let connect = || builder().connect(Http::new(&url));
    let client = soon(connect()).await.expect("the server answers");
    let (render, forever) = (
        start(&client, "render").await.id().to_owned(),
        start(&client, "forever").await.id().to_owned(),
    );
    client.close().await;
    let client = soon(connect()).await.expect("the server answers");
    let film = soon(client.task(render).wait()).await.expect("a result");
    assert_eq!(film.text(), "film.mp4");

    let task = client.task(forever);
    let waited = tokio::time::timeout(Duration::from_millis(200), task.wait()).await;
    assert!(waited.is_err(), "it goes on");
    let state = soon(task.get()).await.expect("the task");
    assert!(matches!(state, GetTaskResult::Working(_)), "{state:?}");
    soon(task.cancel()).await.expect("an acknowledgement");
    soon(dropped.notified()).await;
    let waited = soon(task.wait()).await;
    assert!(
        matches!(waited, Err(CallError::Task(TaskError::Cancelled { .. }))),
        "{waited:?}"
    );

    let plain = soon(client.call_tool("plain").start_task()).await;
    assert!(matches!(plain, Ok(StartedCall::Finished(_))), "{plain:?}");
}

#[tokio::test]
async fn unknown_task_is_an_error_of_its_own() {
    let (server, _) = server();
    for client in clients(&server, builder()).await {
        let task = client.task("nothing");
        for failed in [
            soon(task.wait()).await.map(drop),
            soon(task.get()).await.map(drop),
            soon(task.cancel()).await,
            soon(task.update(Map::new())).await,
        ] {
            assert!(
                matches!(failed, Err(CallError::Task(TaskError::Unknown { .. }))),
                "{failed:?}"
            );
        }
    }
}

#[tokio::test]
async fn client_without_the_extension_has_no_tasks() {
    let (server, _) = server();
    for client in clients(&server, Client::builder("test", "1.0.0")).await {
        let film = soon(client.call_tool("render")).await.expect("a result");
        assert_eq!(film.text(), "film.mp4");
    }
}
