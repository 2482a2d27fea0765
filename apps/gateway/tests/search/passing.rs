//! What belongs to a call passes through `call_tool`.

use std::time::Duration;

use mcp_client::types::json::Map;
use mcp_client::types::{
    CacheScope, ElicitAction, ElicitResult, ElicitValue, ListToolsRequest, ListToolsResult,
    Revision, StringSchema,
};
use mcp_client::{ByteStream, Client, Http, StartedCall};
use mcp_gateway::search::Search;
use mcp_server::{
    Context, Elicited, Form, HandlerError, Params, Server, TaskOptions, Tasks, ToolDef,
};
use serde_json::json;

use super::names;

async fn book(cx: Context) -> Result<String, HandlerError> {
    let form = Form::new("Where to?").required("city", StringSchema::new());
    Ok(match cx.elicit(form).await? {
        Elicited::Accepted(trip) => format!("{:?}", trip.get("city")),
        _ => "not booked".to_owned(),
    })
}

fn server() -> Server {
    let tasks = Tasks::new().poll_interval(Duration::from_millis(10));
    let render = ToolDef::new("render").handler(async || "film.mp4");
    Server::builder("test", "1.0.0")
        .layer(Search::new().threshold(1))
        .extension(tasks)
        .tool("book", "Books a trip", book)
        .add_tool(render.as_task(TaskOptions::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn questions_to_the_client_are_answered() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let client = Client::builder("test", "1.0.0").revision(revision);
        let client = client.on_elicit_form(|_| async move {
            let oslo = Map::from([("city", ElicitValue::String("Oslo".to_owned()))]);
            Ok(ElicitResult::new(ElicitAction::Accept).content(oslo))
        });
        let client = client.connect(ByteStream::of(server().in_memory()));
        let client = client.await.unwrap();
        let call = client
            .call_tool("call_tool")
            .arguments(json!({ "name": "book" }));
        let booked = call.await.unwrap().text();
        assert!(booked.contains("Oslo"), "{revision:?}: {booked}");
    }
}

#[tokio::test]
async fn a_tool_can_run_as_a_task() {
    let client = Client::builder("test", "1.0.0").extension(mcp_client::Tasks::new());
    let client = client
        .connect(ByteStream::of(server().in_memory()))
        .await
        .unwrap();
    let call = client
        .call_tool("call_tool")
        .arguments(json!({ "name": "render" }));
    let StartedCall::Task(task) = call.start_task().await.unwrap() else {
        panic!("expected a task");
    };
    assert_eq!(task.wait().await.unwrap().text(), "film.mp4");
}

#[tokio::test]
async fn the_search_works_over_http() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let serving = server().serve_http("127.0.0.1:0").unwrap();
        let transport = Http::new(format!("http://{}/mcp", serving.local_addr()));
        tokio::spawn(async move { serving.await.unwrap() });
        let client = Client::builder("test", "1.0.0").revision(revision);
        let client = client.connect(transport).await.unwrap();
        assert_eq!(names(&client).await, ["search_tools", "call_tool"]);
        let found = client
            .call_tool("search_tools")
            .arguments(json!({ "query": "films to render" }));
        assert!(found.await.unwrap().text().contains(r#""name":"render""#));
        let call = client
            .call_tool("call_tool")
            .arguments(json!({ "name": "render" }));
        assert_eq!(call.await.unwrap().text(), "film.mp4");
    }
}

/// A gateway can send the trace context on with each list.
#[tokio::test]
async fn the_list_has_the_trace_context_of_the_search() {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (sender, mut parents) = tokio::sync::mpsc::unbounded_channel();
    let list = move |_: Params<ListToolsRequest>, cx: Context| {
        sender.send(cx.trace_parent().map(str::to_owned)).unwrap();
        async { ListToolsResult::new(Vec::new(), 0, CacheScope::Private) }
    };
    let server = Server::builder("test", "1.0.0").layer(Search::new());
    let server = server.on(list).build().unwrap();
    let client = Client::builder("test", "1.0.0");
    let client = client.connect(ByteStream::of(server.in_memory()));
    let client = client.await.unwrap();
    let search = client
        .call_tool("search_tools")
        .arguments(json!({ "query": "x" }));
    search.traceparent(PARENT).await.unwrap();
    assert_eq!(parents.recv().await.unwrap().as_deref(), Some(PARENT));
}

/// The list is a request of its own, which ends when it was answered.
#[tokio::test]
async fn what_a_list_has_spawned_ends_with_it() {
    let (sender, mut ended) = tokio::sync::mpsc::unbounded_channel();
    let list = move |_: Params<ListToolsRequest>, cx: Context| {
        let sender = sender.clone();
        async move {
            tokio::spawn(async move {
                cx.cancelled().await;
                sender.send(()).unwrap();
            });
            ListToolsResult::new(Vec::new(), 0, CacheScope::Private)
        }
    };
    let server = Server::builder("test", "1.0.0")
        .layer(Search::new())
        .on(list);
    let server = server.build().unwrap();
    let client = Client::builder("test", "1.0.0");
    let client = client
        .connect(ByteStream::of(server.in_memory()))
        .await
        .unwrap();
    assert_eq!(names(&client).await, [""; 0]);
    assert!(ended.recv().await.is_some());
}
