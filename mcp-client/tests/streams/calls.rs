//! `mcp-client` with `mcp-server` on a pair of byte streams, at every revision.

use std::time::Duration;

use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CallToolOutcome, CallToolRequest, CallToolRequestParams, ElicitAction, ElicitResult, Revision,
    Root, StringSchema,
};
use mcp_client::{CallError, Client, Limits};
use mcp_server::{Context, Elicited, Form, HandlerError, Server};

use crate::support::script::Script;

use super::{builder, connect_to};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

fn server() -> Server {
    Server::builder("adder", "1.0.0")
        .instructions("Add.")
        .tool(
            "add",
            "Adds",
            async |args: Add, cx: Context| -> Result<_, HandlerError> {
                cx.progress(0.5, 1.0, "half").await?;
                Ok(args.a + args.b)
            },
        )
        .tool("never", "Never ends", || {
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
async fn listing_and_calling_work_at_every_revision() {
    let revisions = Revision::ALL.iter().copied().map(Some);
    for revision in revisions.chain([None]) {
        let client = connect(revision).await;
        assert_eq!(client.revision(), revision.unwrap_or(Revision::LATEST));
        assert_eq!(
            client.server_info().map(|info| info.name),
            Some("adder".to_owned())
        );
        assert_eq!(client.instructions().as_deref(), Some("Add."));
        let tools = client.tools().one_page().await.expect("a list");
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
async fn call_times_out_and_the_connection_stays_usable() {
    let client = connect(None).await;
    let params = CallToolRequestParams::new("never", client.meta());
    let error = client
        .request::<CallToolRequest>(params)
        .await
        .expect_err("no answer");
    assert!(
        matches!(
            &error,
            CallError::Timeout { method, .. } if method == "tools/call"
        ),
        "{error}"
    );
    client.tools().one_page().await.expect("a list");
}

#[tokio::test]
async fn input_requests_of_a_modern_server_are_answered() {
    let server = Server::builder("asks", "1.0.0")
        .tool(
            "greet",
            "Greets",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("Name?").required("name", StringSchema::new());
                let Elicited::Accepted(answer) = cx.elicit(form).await? else {
                    return Ok("nobody".to_owned());
                };
                let roots = cx.roots().await?;
                Ok(format!("{:?} in {}", answer.get("name"), roots.len()))
            },
        )
        .build()
        .expect("the definition is valid");
    // A later revision may not have roots.
    let builder = Client::builder("test", "1.0.0")
        .revision(Revision::V2026_07_28)
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

#[tokio::test]
async fn typed_arguments_are_sent_and_non_objects_are_rejected() {
    #[derive(serde::Serialize)]
    struct Numbers {
        a: f64,
        b: f64,
    }
    let client = connect_to(server(), builder()).await;
    let numbers = Numbers { a: 1.0, b: 2.5 };
    let call = client.call_tool("add").arguments(&numbers);
    let sum = call.await.expect("a result");
    assert_eq!(sum.text(), "3.5");

    let refused = client.call_tool("add").arguments(&[1, 2]).await;
    assert!(
        matches!(refused, Err(CallError::Params { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn server_receives_the_client_info() {
    let server = Server::builder("asks", "1.0.0")
        .tool(
            "who",
            "Says who calls",
            async |cx: Context| -> Result<_, HandlerError> {
                let peer = cx.peer();
                let info = peer
                    .client_info()
                    .ok_or_else(|| HandlerError::tool("nobody"))?;
                let said = [&info.title, &info.description, &info.website_url];
                let said: Vec<&str> = said.into_iter().flatten().map(String::as_str).collect();
                Ok(format!(
                    "{} {}",
                    said.join(" "),
                    info.icons.iter().flatten().count()
                ))
            },
        )
        .build()
        .expect("the definition is valid");
    let icon = mcp_client::types::Icon::new("https://example.com/icon.png");
    let builder = builder()
        .title("T")
        .description("D")
        .website_url("https://example.com")
        .icon(icon);
    let client = connect_to(server, builder).await;
    let who = client.call_tool("who").await.expect("a result");
    assert_eq!(who.text(), "T D https://example.com 1");
}

#[tokio::test(start_paused = true)]
async fn handshake_that_times_out_is_not_cancelled() {
    let (transport, mut script) = Script::new();
    let builder = builder().revision(Revision::V2025_06_18);
    let error = builder.connect(transport).await;
    assert!(error.is_err(), "{error:?}");
    assert_eq!(script.read().await["method"], "initialize");
    assert!(script.ended().await);
}

#[tokio::test]
async fn number_of_input_rounds_is_limited() {
    let mut limits = Limits::default();
    limits.rounds = 3;
    let (client, mut script) = Script::modern(builder().limits(limits), "{}").await;
    let serve = async {
        let mut state = serde_json::Value::Null;
        for round in 0..3 {
            let asked = script.read().await;
            assert_eq!(asked["params"]["requestState"], state);
            state = format!("state {round}").into();
            let asking = format!(r#"{{"resultType":"input_required","requestState":{state}}}"#);
            script.answer(&asked, &asking).await;
        }
    };
    let (result, ()) = tokio::join!(client.call_tool("any"), serve);
    assert!(
        matches!(result, Err(CallError::Rounds { rounds: 3, .. })),
        "{result:?}"
    );
}

#[tokio::test]
async fn raw_outcome_is_returned() {
    let (client, mut script) = Script::modern(builder(), "{}").await;
    let serve = async {
        let asked = script.read().await;
        let asking = r#"{"resultType":"input_required","requestState":"state"}"#;
        script.answer(&asked, asking).await;
    };
    let (outcome, ()) = tokio::join!(client.call_tool("any").outcome(), serve);
    match outcome.expect("an outcome") {
        CallToolOutcome::InputRequired(asked) => {
            assert_eq!(asked.request_state.as_deref(), Some("state"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_timeout_up_to_a_maximum() {
    let second = Duration::from_secs(1);
    for (steps, done) in [(3, true), (9, false)] {
        let (client, mut script) = Script::modern(builder(), "{}").await;
        let call = client
            .call_tool("slow")
            .timeout(second)
            .while_progressing(second * 5)
            .on_progress(|_| {});
        let serve = async {
            let asked = script.read().await;
            let token = &asked["params"]["_meta"]["progressToken"];
            for step in 1..=steps {
                tokio::time::sleep(second * 4 / 5).await;
                let params = format!(r#"{{"progressToken":{token},"progress":{step}}}"#);
                let progress = format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#
                );
                script.send(&progress).await;
            }
            tokio::time::sleep(second * 4 / 5).await;
            script
                .answer(&asked, r#"{"resultType":"complete","content":[]}"#)
                .await;
        };
        let (result, ()) = tokio::join!(call, serve);
        match result {
            Ok(_) => assert!(done),
            Err(CallError::Timeout { after, .. }) => {
                assert!(!done);
                assert_eq!(after.as_secs(), 5);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_timeout_of_all_calls_if_set() {
    let mut limits = Limits::default();
    limits.call_time = Duration::from_secs(2);
    limits.progress_time = Some(Duration::from_secs(10));
    let (client, mut script) = Script::modern(builder().limits(limits), "{}").await;
    let call = tokio::spawn(client.call_tool("slow").into_future());
    let asked = script.read().await;
    let id = &asked["id"];
    assert_eq!(asked["params"]["_meta"]["progressToken"], *id);
    for progress in 1..=4 {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let params = format!(r#"{{"progressToken":{id},"progress":{progress}}}"#);
        script
            .send(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#
            ))
            .await;
    }
    script
        .answer(&asked, r#"{"resultType":"complete","content":[]}"#)
        .await;
    call.await.expect("no panic").expect("a result");
}
