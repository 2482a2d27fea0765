//! Requests and notifications of servers.

use std::sync::Arc;

use crate::support::script::Script;
use crate::support::soon;

use super::{builder, connect_to};
use mcp_client::CallError;
use mcp_client::types::json::Map;
use mcp_client::types::{
    ContentBlock, CreateMessageRequestParams, CreateMessageResult, ElicitAction, ElicitResult,
    LoggingLevel, Revision, Role, Root, SamplingMessage, SamplingMessageContentBlock, StringSchema,
    TextContent,
};
use mcp_server::{Context, Elicited, Form, HandlerError, Server};
use tokio::sync::{Notify, mpsc};

fn server() -> Server {
    Server::builder("asks", "1.0.0")
        .tool(
            "form",
            "Asks for a name",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("Name?").required("name", StringSchema::new());
                let Elicited::Accepted(answer) = cx.elicit(form).await? else {
                    return Ok("nobody".to_owned());
                };
                Ok(format!("{:?}", answer.get("name")))
            },
        )
        .tool(
            "roots",
            "Asks for roots",
            async |cx: Context| -> Result<_, HandlerError> {
                let roots = cx.roots().await?;
                Ok(roots.into_iter().map(|root| root.uri).collect::<String>())
            },
        )
        .tool(
            "sample",
            "Asks a model",
            async |cx: Context| -> Result<_, HandlerError> {
                let text = TextContent::new("Say hello");
                let text = SamplingMessageContentBlock::from(text);
                let asked = SamplingMessage::new(Role::User, text);
                let said = cx
                    .sample(CreateMessageRequestParams::new([asked], 10))
                    .await?;
                Ok(said.model)
            },
        )
        .tool(
            "log",
            "Logs",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.log(LoggingLevel::Debug, None, "small").await?;
                cx.log(LoggingLevel::Error, None, "large").await?;
                Ok::<_, HandlerError>("logged")
            },
        )
        .build()
        .expect("the definition is valid")
}

#[tokio::test]
async fn server_requests_are_answered_at_every_revision() {
    for &revision in Revision::ALL {
        let builder = builder()
            .revision(revision)
            .on_elicit_form(|form| async move {
                assert_eq!(form.message, "Name?");
                let content = Map::from([("name", "Ada".to_owned())]);
                Ok(ElicitResult::new(ElicitAction::Accept).content(content))
            })
            .on_sample(|params| async move {
                assert_eq!(params.max_tokens, 10);
                let said = TextContent::new("hello");
                let said = SamplingMessageContentBlock::from(said);
                Ok(CreateMessageResult::new("a-model", Role::Assistant, said))
            })
            .on_roots(|| async { Ok(vec![Root::new("file:///tmp")]) });
        let client = connect_to(server(), builder).await;
        for (tool, method, expected) in [
            ("form", "elicitation/create", "Ada"),
            ("roots", "roots/list", "file:///tmp"),
            ("sample", "sampling/createMessage", "a-model"),
        ] {
            if !revision.has_method(method) {
                continue;
            }
            let result = soon(client.call_tool(tool)).await.expect("a result");
            let [ContentBlock::Text(text)] = &*result.content else {
                panic!("{revision}: {result:?}");
            };
            assert!(text.text.contains(expected), "{revision}: {text:?}");
        }
    }
}

#[tokio::test]
async fn logs_are_received_from_the_requested_level() {
    for &revision in Revision::ALL {
        if !revision.has_method("notifications/message") {
            continue;
        }
        let (sender, mut heard) = mpsc::unbounded_channel();
        let builder = builder()
            .revision(revision)
            .on_log(LoggingLevel::Warning, move |log| {
                let _ = sender.send(log.data);
            });
        let client = connect_to(server(), builder).await;
        soon(client.call_tool("log")).await.expect("a result");
        let log = soon(heard.recv()).await.expect("a log");
        assert_eq!(log.as_str(), Some("large"), "{revision}");
    }
}

#[tokio::test]
async fn invalid_server_requests_are_rejected_with_their_code() {
    let builder = builder().on_elicit_form(|_| async { Err("nobody is here".into()) });
    let (_client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
    let cases = [
        ("ping", "{}", None),
        ("roots/list", "{}", Some(-32601)),
        ("tools/list", "{}", Some(-32601)),
        ("elicitation/create", r#"{"message":1}"#, Some(-32602)),
        (
            "elicitation/create",
            r#"{"mode":"url","message":"","url":"https://a","elicitationId":"1"}"#,
            Some(-32602),
        ),
    ];
    for (id, (method, params, code)) in cases.into_iter().enumerate() {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":"s{id}","method":"{method}","params":{params}}}"#);
        script.send(&request).await;
        let answer = script.read().await;
        assert_eq!(answer["id"], format!("s{id}"));
        match code {
            None => assert_eq!(answer["result"], serde_json::json!({})),
            Some(code) => assert_eq!(answer["error"]["code"], code, "{answer}"),
        }
    }
}

#[tokio::test]
async fn server_requests_are_bounded_and_can_be_cancelled() {
    struct Dropped(Arc<Notify>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let mut limits = mcp_client::Limits::default();
    limits.server_requests = 1;
    let ended = Arc::new(Notify::new());
    let guard = Arc::clone(&ended);
    let builder = builder().limits(limits).on_roots(move || {
        let dropped = Dropped(Arc::clone(&guard));
        async move {
            let _dropped = dropped;
            std::future::pending().await
        }
    });
    let (_client, mut script) = Script::legacy(builder, "2025-06-18", "{}").await;
    script
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#)
        .await;
    for id in [2, 1] {
        script
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#
            ))
            .await;
        let answer = script.read().await;
        assert_eq!(answer["id"], id);
        assert!(answer["error"]["code"].is_number(), "{answer}");
    }
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    script.send(cancelled).await;
    soon(ended.notified()).await;
}

#[tokio::test]
async fn error_of_a_handler_is_sent_to_the_server() {
    let builder = builder().on_roots(|| async { Err("no roots today".into()) });
    let (_client, mut script) = Script::legacy(builder, "2024-11-05", "{}").await;
    script
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#)
        .await;
    let answer = script.read().await;
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(answer["error"]["message"], "no roots today");
}

#[tokio::test]
async fn panic_of_a_handler_is_an_error_for_the_server() {
    let builder = builder().on_roots(|| async { panic!("on purpose") });
    let (_client, mut script) = Script::legacy(builder, "2025-03-26", "{}").await;
    script
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#)
        .await;
    let answer = script.read().await;
    assert_eq!(answer["error"]["code"], -32603);
    script
        .send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        .await;
    assert_eq!(script.read().await["id"], 2);
}

#[tokio::test]
async fn required_url_elicitations_are_shown_once_and_the_call_is_retried() {
    let (sender, mut pages) = mpsc::unbounded_channel();
    let builder = builder().on_elicit_url(move |page| {
        let _ = sender.send(page.url);
        async { Ok(ElicitResult::new(ElicitAction::Accept)) }
    });
    let (client, mut script) = Script::legacy(builder, "2025-11-25", "{}").await;
    let serve = async {
        let error = r#"{"code":-32042,"message":"first this","data":{"elicitations":[
            {"mode":"url","message":"Log in.","url":"https://a","elicitationId":"1"}]}}"#
            .replace('\n', " ");
        for _ in 0..2 {
            let asked = script.read().await;
            let id = &asked["id"];
            let refusal = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
            script.send(&refusal).await;
        }
    };
    let (result, ()) = tokio::join!(client.call_tool("any"), serve);
    let code = match result {
        Err(CallError::Refused { source, .. }) => source.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code, -32042);
    assert_eq!(pages.recv().await.as_deref(), Some("https://a"));
    assert!(pages.try_recv().is_err());
}

#[tokio::test]
async fn newer_messages_are_accepted_in_older_sessions() {
    let builder =
        builder().on_elicit_form(|_| async { Ok(ElicitResult::new(ElicitAction::Accept)) });
    let (client, mut script) = Script::legacy(builder, "2025-06-18", "{}").await;
    let question = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{
        "message":"Which?","requestedSchema":{"type":"object","properties":{"a":{
        "type":"array","items":{"type":"string","enum":["x","y"]},"default":["x"]}}}}}"#;
    script.send(&question.replace('\n', " ")).await;
    let answer = script.read().await;
    assert_eq!(
        answer["result"]["content"]["a"],
        serde_json::json!(["x"]),
        "{answer}"
    );

    let serve = async {
        let asked = script.read().await;
        let link = r#"{"content":[{"type":"resource_link","uri":"a://b","name":"c",
            "icons":[{"src":"https://d","theme":"dark"}]}]}"#;
        script.answer(&asked, &link.replace('\n', " ")).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("any"), serve);
    let result = result.expect("a result");
    assert!(
        matches!(*result.content, [ContentBlock::ResourceLink(_)]),
        "{result:?}"
    );
}

#[tokio::test]
async fn changed_roots_are_notified_to_legacy_servers() {
    let with_roots = || builder().on_roots(|| async { Ok(vec![]) });
    let (client, mut script) = Script::legacy(with_roots(), "2025-03-26", "{}").await;
    let declared = &script.hello["params"]["capabilities"]["roots"];
    assert_eq!(declared["listChanged"], true, "{declared}");
    client.roots_changed().await.expect("the server is running");
    let received = script.read().await;
    assert_eq!(received["method"], "notifications/roots/list_changed");
    assert_eq!(received.get("id"), None);

    let (client, mut script) = Script::modern(with_roots(), "{}").await;
    client.roots_changed().await.expect("the server is running");
    let call = client.tools().one_page();
    let (_, asked) = tokio::join!(
        call.timeout(std::time::Duration::from_millis(10)),
        script.read()
    );
    assert_eq!(asked["method"], "tools/list");
}
