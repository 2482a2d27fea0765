//! Our client and our server on a pair of byte streams, at every revision.

use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CallToolRequest, CallToolRequestParams, ElicitAction, ElicitResult, Revision, Root,
    StringSchema,
};
use mcp_client::{CallError, Client};
use mcp_server::{Context, Elicited, Form, HandlerError, Server};

use super::support::connect_to;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

fn server() -> Server {
    Server::builder("adder", "1.0.0")
        .instructions("Add.")
        .tool("add", "Adds", |args: Add, cx: Context| async move {
            cx.progress(0.5, 1.0, "half").await?;
            Ok(args.a + args.b)
        })
        .tool("never", "Never ends", |(), _: Context| {
            std::future::pending::<Result<(), HandlerError>>()
        })
        .build()
        .expect("the definition is valid")
}

async fn connect(revision: Option<Revision>) -> Client {
    let mut builder = Client::builder("test", "1.0.0");
    if let Some(revision) = revision {
        builder = builder.revision(revision);
    }
    connect_to(server(), builder).await
}

#[tokio::test]
async fn every_revision_lists_and_calls() {
    let revisions = Revision::ALL.iter().copied().map(Some);
    for revision in revisions.chain([None]) {
        let client = connect(revision).await;
        assert_eq!(client.revision(), revision.unwrap_or(Revision::LATEST));
        assert_eq!(
            client.server_info().map(|info| info.name),
            Some("adder".to_owned())
        );
        assert_eq!(client.instructions().as_deref(), Some("Add."));
        let tools = client.list_tools().await.expect("a list");
        assert_eq!(tools.tools.len(), 2, "{revision:?}");

        let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let arguments = Object::from([("a", 1.5), ("b", 2.0)]);
        let result = client
            .call_tool("add")
            .arguments(arguments)
            .on_progress(move |progress| {
                let _ = sender.send(progress.progress.as_f64());
            })
            .await
            .expect("a sum");
        assert_eq!(result.content.len(), 1, "{revision:?}");
        assert_eq!(heard.recv().await, Some(Some(0.5)), "{revision:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_in_time_and_the_connection_goes_on() {
    let client = connect(None).await;
    let params = CallToolRequestParams::new("never", client.meta());
    let error = client
        .request::<CallToolRequest>(params)
        .await
        .expect_err("no answer");
    assert!(
        matches!(
            error,
            CallError::Timeout {
                method: "tools/call",
                ..
            }
        ),
        "{error}"
    );
    client.list_tools().await.expect("a list");
}

#[tokio::test]
async fn questions_of_a_modern_server_are_answered() {
    let server = Server::builder("asks", "1.0.0")
        .tool("greet", "Greets", |(), cx: Context| async move {
            let form = Form::new("Name?").required("name", StringSchema::new());
            let Elicited::Accepted(answer) = cx.elicit(form).await? else {
                return Ok("nobody".to_owned());
            };
            let roots = cx.roots().await?;
            Ok(format!("{:?} in {}", answer.get("name"), roots.len()))
        })
        .build()
        .expect("the definition is valid");
    let builder = Client::builder("test", "1.0.0")
        .on_elicit_form(|form| async move {
            assert_eq!(form.message, "Name?");
            Ok(ElicitResult::new(ElicitAction::Accept)
                .content(Map::from([("name", "Ada".to_owned())])))
        })
        .on_roots(|| async { Ok(vec![Root::new("file:///tmp")]) });
    let client = connect_to(server, builder).await;
    let result = client.call_tool("greet").await.expect("a greeting");
    let text = serde_json::to_string(&result.content).expect("content is JSON");
    assert!(text.contains("Ada") && text.contains("in 1"), "{text}");
}
