//! What servers of both eras ask the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::middleware::{self, Direction, Next, Outcome, Request, Response};
use mcp_client::types::json::Map;
use mcp_client::types::rpc::ErrorObject;
use mcp_client::types::{ElicitAction, ElicitResult, Revision, StringSchema};
use mcp_client::{CallError, ClientBuilder};
use mcp_server::{Context, Elicited, Form, HandlerError, Server};
use tokio::sync::Notify;

use super::{Record, Way, builder};
use crate::support::script::Script;
use crate::support::soon;

const ASK: &str = "elicitation/create";

fn server() -> Server {
    Server::builder("asks", "1.0.0")
        .tool(
            "ask",
            "Asks for a name",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("Name?").required("name", StringSchema::new());
                let Elicited::Accepted(answer) = cx.elicit(form).await? else {
                    return Ok("nobody".to_owned());
                };
                let name = answer.get("name");
                Ok(format!("{name:?}"))
            },
        )
        .build()
        .expect("the definition is valid")
}

fn accept(name: String) -> ElicitResult {
    let content = Map::from([("name", name)]);
    ElicitResult::new(ElicitAction::Accept).content(content)
}

/// Returns a client that answers with the text of the question, and the number of its answers.
fn asked(revision: Revision) -> (ClientBuilder, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let builder = builder().revision(revision).on_elicit_form(move |form| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move { Ok(accept(form.message)) }
    });
    (builder, count)
}

/// The revisions with elicitation.
fn revisions() -> impl Iterator<Item = Revision> {
    let all = Revision::ALL.iter().copied();
    all.filter(|revision| revision.has_method(ASK))
}

#[tokio::test]
async fn questions_pass_at_every_revision() {
    for way in Way::ALL {
        for revision in revisions() {
            let record = Record::default();
            let (builder, count) = asked(revision);
            let builder = builder
                .layer(record.layer("outer"))
                .layer(record.layer("inner"));
            let client = way.connect(&server(), builder).await;
            record.take();
            let result = soon(client.call_tool("ask")).await.expect("a result");
            assert!(result.text().contains("Name?"), "{way:?} {revision}");
            assert_eq!(count.load(Ordering::Relaxed), 1, "{way:?} {revision}");
            let seen = record.take();
            // A modern server answers the first round with the question.
            let rounds = if revision.is_modern() { 2 } else { 1 };
            let calls = seen
                .iter()
                .filter(|seen| *seen == "inner ToServer tools/call");
            assert_eq!(calls.count(), rounds, "{way:?} {revision}: {seen:?}");
            let asked = [
                "inner ToClient elicitation/create",
                "outer ToClient elicitation/create",
                "outer elicitation/create true",
                "inner elicitation/create true",
            ];
            assert!(
                seen.windows(4).any(|part| part == asked),
                "{way:?} {revision}: {seen:?}"
            );
        }
    }
}

#[tokio::test]
async fn questions_and_answers_can_be_changed() {
    async fn change(request: Request, next: Next) -> Outcome {
        if request.direction() == Direction::ToServer {
            return next.run(request).await;
        }
        let response = next
            .run(request.with_param("message", "Nickname?")?)
            .await?;
        let result = response.result().get().replace("Nickname?", "Nickname!");
        let result = serde_json::value::RawValue::from_string(result);
        Ok(response.with_result(result.expect("JSON")))
    }
    for way in Way::ALL {
        for revision in revisions() {
            let (builder, count) = asked(revision);
            let builder = builder.layer(middleware::from_fn(change));
            let client = way.connect(&server(), builder).await;
            let result = soon(client.call_tool("ask")).await.expect("a result");
            let text = result.text();
            assert!(text.contains("Nickname!"), "{way:?} {revision}: {text}");
            assert_eq!(count.load(Ordering::Relaxed), 1);
        }
    }
}

#[tokio::test]
async fn layer_can_answer_and_refuse_questions() {
    async fn answer(request: Request, next: Next) -> Outcome {
        match request.method() {
            ASK => Response::new(request.revision(), accept("the layer".to_owned())),
            _ => next.run(request).await,
        }
    }
    async fn refuse(request: Request, next: Next) -> Outcome {
        match request.direction() {
            Direction::ToClient => Err(ErrorObject::internal_error("do not ask").into()),
            Direction::ToServer => next.run(request).await,
        }
    }
    for way in Way::ALL {
        for revision in revisions() {
            let (builder, count) = asked(revision);
            let builder = builder.layer(middleware::from_fn(answer));
            let client = way.connect(&server(), builder).await;
            let result = soon(client.call_tool("ask")).await.expect("a result");
            assert!(result.text().contains("the layer"), "{way:?} {revision}");
            assert_eq!(count.load(Ordering::Relaxed), 0, "{way:?} {revision}");

            let (builder, count) = asked(revision);
            let builder = builder.layer(middleware::from_fn(refuse));
            let client = way.connect(&server(), builder).await;
            let refused = soon(client.call_tool("ask")).await;
            assert_eq!(count.load(Ordering::Relaxed), 0, "{way:?} {revision}");
            if revision.is_modern() {
                let refused = refused.map(drop).expect_err("no answer");
                assert!(matches!(refused, CallError::Input { .. }), "{refused:?}");
                assert!(refused.to_string().contains("do not ask"), "{refused}");
            } else {
                let failed = match refused {
                    Ok(result) => result.text(),
                    Err(error) => error.to_string(),
                };
                assert!(!failed.contains("Name?"), "{failed}");
            }
        }
    }
}

#[tokio::test]
async fn layer_can_answer_requests_without_a_handler() {
    async fn answer(request: Request, next: Next) -> Outcome {
        if request.method() != "com.example/time" {
            return next.run(request).await;
        }
        let zone: Option<String> = request.param("zone")?;
        assert_eq!(zone.as_deref(), Some("UTC"));
        Response::new(request.revision(), accept("noon".to_owned()))
    }
    let builder = builder().layer(middleware::from_fn(answer));
    let (_client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
    for (id, method, params) in [
        (1, "com.example/time", r#"{"zone":"UTC"}"#),
        (2, "com.example/time", r#"{"zone":1}"#),
        (3, "com.example/date", "{}"),
        (4, "ping", "{}"),
    ] {
        script
            .send(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
            ))
            .await;
        let answer = script.read().await;
        assert_eq!(answer["id"], id);
        match id {
            1 => assert_eq!(answer["result"]["content"]["name"], "noon", "{answer}"),
            2 => assert_eq!(answer["error"]["code"], -32602, "{answer}"),
            3 => assert_eq!(answer["error"]["code"], -32601, "{answer}"),
            _ => assert_eq!(answer["result"], serde_json::json!({}), "{answer}"),
        }
    }
}

#[tokio::test]
async fn cancelled_request_of_the_server_ends_its_layers() {
    struct Dropped(Arc<Notify>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (started, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (start, guard) = (Arc::clone(&started), Arc::clone(&ended));
    let wait = move |request: Request, next: Next| {
        let (start, guard) = (Arc::clone(&start), Arc::clone(&guard));
        async move {
            if request.direction() == Direction::ToServer {
                return next.run(request).await;
            }
            let _dropped = Dropped(guard);
            start.notify_one();
            std::future::pending().await
        }
    };
    let builder = builder().layer(middleware::from_fn(wait));
    let (_client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
    script
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"com.example/wait"}"#)
        .await;
    soon(started.notified()).await;
    script
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    soon(ended.notified()).await;
}
