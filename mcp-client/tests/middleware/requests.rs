//! Requests of the client.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::CallError;
use mcp_client::middleware::{self, Middleware, Next, Outcome, Request, Response};
use mcp_client::types::json::Object;
use mcp_client::types::rpc::ErrorObject;
use mcp_client::types::{CallToolResult, ContentBlock, Revision, TextContent};
use mcp_server::Server;
use serde_json::value::RawValue;

use super::{Record, Way, builder};
use crate::support::script::Script;
use crate::support::soon;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Say {
    text: String,
}

fn server() -> Server {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    Server::builder("says", "1.0.0")
        .tool("say", "Repeats", async |say: Say| say.text)
        .tool("count", "Counts its calls", async || {
            CALLS.fetch_add(1, Ordering::Relaxed).to_string()
        })
        .build()
        .expect("the definition is valid")
}

fn say(text: &str) -> Object {
    Object::from([("text", text)])
}

#[tokio::test]
async fn layers_run_in_their_order_on_every_transport_and_at_every_revision() {
    for way in Way::ALL {
        for &revision in Revision::ALL {
            let record = Record::default();
            let builder = builder().revision(revision);
            let builder = builder
                .layer(record.layer("outer"))
                .layer(record.layer("inner"));
            let client = way.connect(&server(), builder).await;
            let (first, initialized) = if revision.is_modern() {
                ("server/discover", false)
            } else {
                ("initialize", true)
            };
            let mut expected = vec![
                format!("outer ToServer {first}"),
                format!("inner ToServer {first}"),
                format!("inner {first} true"),
                format!("outer {first} true"),
            ];
            if initialized {
                let method = "notifications/initialized";
                expected.push(format!("outer ToServer {method}"));
                expected.push(format!("inner ToServer {method}"));
            }
            assert_eq!(record.take(), expected, "{way:?} {revision}");

            let said = client.call_tool("say").arguments(say("hello"));
            assert_eq!(soon(said).await.expect("a result").text(), "hello");
            let expected = [
                "outer ToServer tools/call",
                "inner ToServer tools/call",
                "inner tools/call true",
                "outer tools/call true",
            ];
            assert_eq!(record.take(), expected, "{way:?} {revision}");
        }
    }
}

#[tokio::test]
async fn params_and_results_can_be_changed() {
    async fn shout(request: Request, next: Next) -> Outcome {
        if request.method() != "tools/call" {
            return next.run(request).await;
        }
        let arguments: Object = request.param("arguments")?.expect("arguments");
        let text = arguments.get("text").and_then(|text| text.as_str());
        let louder = say(&text.expect("a text").to_uppercase());
        let request = request
            .with_param("name", "say")?
            .with_param("arguments", &louder)?;
        let response = next.run(request).await?;
        let result = response.result().get().replace("HELLO", "HELLO!");
        let result = RawValue::from_string(result);
        Ok(response.with_result(result.expect("JSON")))
    }
    for way in Way::ALL {
        for &revision in Revision::ALL {
            let builder = builder().revision(revision);
            let builder = builder.layer(middleware::from_fn(shout));
            let client = way.connect(&server(), builder).await;
            let said = client.call_tool("shout").arguments(say("hello"));
            let said = soon(said).await.expect("a result");
            assert_eq!(said.text(), "HELLO!", "{way:?} {revision}");
        }
    }
}

#[tokio::test]
async fn refused_call_is_not_sent() {
    async fn refuse(request: Request, next: Next) -> Outcome {
        if request.param::<String>("name")?.as_deref() == Some("delete") {
            return Err(ErrorObject::internal_error("not today").into());
        }
        next.run(request).await
    }
    let builder = builder().layer(middleware::from_fn(refuse));
    let (client, mut script) = Script::modern(builder, "{}").await;
    let refused = soon(client.call_tool("delete")).await;
    let refused = refused.expect_err("a refusal");
    assert!(matches!(refused, CallError::Client { .. }), "{refused:?}");
    assert!(refused.to_string().contains("not today"), "{refused}");
    // The server did not send it.
    assert_eq!((refused.code(), refused.kind()), (None, None));
    let calling = tokio::spawn(async move { client.call_tool("list").await.map(drop) });
    let asked = script.receive_request("tools/call").await;
    assert_eq!(asked["params"]["name"], "list");
    let result = r#"{"resultType":"complete","content":[]}"#;
    script.answer(&asked, result).await;
    soon(calling).await.expect("no panic").expect("a result");
}

#[tokio::test]
async fn refused_negotiation_fails_the_connection() {
    async fn refuse(request: Request, next: Next) -> Outcome {
        if request.method() != "server/discover" {
            return next.run(request).await;
        }
        Err(ErrorObject::internal_error("no network today").into())
    }
    let (transport, mut script) = Script::new();
    let builder = builder().layer(middleware::from_fn(refuse));
    let refused = soon(builder.connect(transport)).await.expect_err("refused");
    assert!(
        refused.to_string().contains("no network today"),
        "{refused}"
    );
    assert!(script.ended().await, "nothing was sent");
}

#[tokio::test]
async fn answer_of_a_layer_sends_nothing() {
    #[derive(Default)]
    struct Known(Mutex<HashMap<String, Response>>);

    impl Middleware for Known {
        async fn call(&self, request: Request, next: Next) -> Outcome {
            let key = format!("{} {}", request.method(), request.params());
            let known = self.0.lock().expect("no panic").get(&key).cloned();
            if let Some(known) = known {
                return Ok(known);
            }
            let response = next.run(request).await?;
            let mut known = self.0.lock().expect("no panic");
            known.insert(key, response.clone());
            Ok(response)
        }
    }

    for way in Way::ALL {
        let record = Record::default();
        let builder = builder()
            .layer(Known::default())
            .layer(record.layer("sent"));
        let client = way.connect(&server(), builder).await;
        let first = soon(client.call_tool("count")).await.expect("a result");
        record.take();
        let again = soon(client.call_tool("count")).await.expect("a result");
        assert_eq!(again.text(), first.text(), "{way:?}");
        assert_eq!(record.take(), Vec::<String>::new(), "{way:?}");
    }
}

#[tokio::test]
async fn answer_of_a_layer_has_the_form_of_the_revision() {
    async fn answer(request: Request, next: Next) -> Outcome {
        if request.method() != "tools/call" {
            return next.run(request).await;
        }
        let text = ContentBlock::from(TextContent::new("made up"));
        Response::new(request.revision(), CallToolResult::new([text]))
    }
    for &revision in Revision::ALL {
        let builder = builder().revision(revision);
        let builder = builder.layer(middleware::from_fn(answer));
        let client = Way::Stream.connect(&server(), builder).await;
        let result = soon(client.call_tool("nothing")).await.expect("a result");
        assert_eq!(result.text(), "made up", "{revision}");
    }
}

#[tokio::test]
async fn params_that_are_no_object_are_an_error_of_the_call() {
    for text in ["[]", "null", r#"{"name":"a","name":"b"}"#] {
        let change = move |request: Request, next: Next| {
            let params = RawValue::from_string(text.to_owned());
            let request = match request.method() {
                "tools/call" => request.with_params(params.expect("JSON")),
                _ => request,
            };
            next.run(request)
        };
        let builder = builder().layer(middleware::from_fn(change));
        let client = Way::Http.connect(&server(), builder).await;
        let failed = soon(client.call_tool("count")).await;
        let failed = failed.map(drop);
        assert!(
            matches!(failed, Err(CallError::Params { .. })),
            "{text}: {failed:?}"
        );
    }
}

#[tokio::test]
async fn timeout_of_a_call_includes_its_layers() {
    async fn wait(request: Request, next: Next) -> Outcome {
        if request.method() == "tools/call" {
            std::future::pending::<()>().await;
        }
        next.run(request).await
    }
    let builder = builder().layer(middleware::from_fn(wait));
    let client = Way::Stream.connect(&server(), builder).await;
    let call = client.call_tool("count").timeout(Duration::from_millis(20));
    let failed = soon(call).await.map(drop);
    assert!(
        matches!(failed, Err(CallError::Timeout { .. })),
        "{failed:?}"
    );
}

#[tokio::test]
async fn dropped_call_behind_layers_is_cancelled_on_the_server() {
    let record = Record::default();
    let builder = builder().layer(record.layer("layer"));
    let (client, mut script) = Script::modern(builder, "{}").await;
    let calling = tokio::spawn(client.call_tool("slow").into_future());
    let asked = script.receive_request("tools/call").await;
    calling.abort();
    let cancelled = script.receive_request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    let seen = record.take();
    let last = seen.last().expect("a message");
    assert_eq!(last, "layer ToServer notifications/cancelled");
}

#[tokio::test]
async fn progress_is_reported_behind_layers() {
    let (reported, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let builder = builder().layer(Record::default().layer("layer"));
    let (client, mut script) = Script::modern(builder, "{}").await;
    let call = client.call_tool("slow").on_progress(move |progress| {
        let _ = reported.send(progress.message);
    });
    let calling = tokio::spawn(call.into_future());
    let asked = script.receive_request("tools/call").await;
    let token = &asked["params"]["_meta"]["progressToken"];
    script
        .send(format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1,"message":"half"}}}}"#
        ))
        .await;
    let report = soon(reports.recv()).await.expect("a report");
    assert_eq!(report.as_deref(), Some("half"));
    let result = r#"{"resultType":"complete","content":[]}"#;
    script.answer(&asked, result).await;
    soon(calling).await.expect("no panic").expect("a result");
}
