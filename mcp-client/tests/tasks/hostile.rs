//! Servers that break the rules for tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::types::{ElicitAction, ElicitResult};
use mcp_client::{CallError, Client};

use super::{TASKS, announce, announced, builder, completed, state};
use crate::support::script::Script;
use crate::support::soon;

/// Returns the error of a call that a server answers like this.
async fn refused(capabilities: &str, answer: &str) -> CallError {
    let (client, mut script) = Script::modern(builder(), capabilities).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    let asked = script.receive_request("tools/call").await;
    script.answer(&asked, answer).await;
    let called = soon(calling).await.expect("no panic");
    drop(client);
    assert!(script.ended().await, "nothing more is sent");
    called.map(drop).expect_err("an invalid response")
}

#[tokio::test]
async fn task_that_was_not_negotiated_is_an_invalid_response() {
    let error = refused(r#"{"tools":{}}"#, &announced()).await;
    assert!(matches!(error, CallError::ResultType { .. }), "{error:?}");

    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let getting = tokio::spawn(client.get_prompt("greet").into_future());
    let asked = script.receive_request("prompts/get").await;
    script.answer(&asked, &announced()).await;
    let error = soon(getting).await.expect("no panic").map(drop);
    let error = error.expect_err("prompts have no tasks");
    assert!(matches!(error, CallError::ResultType { .. }), "{error:?}");

    let without = Client::builder("test", "1.0.0");
    let (client, mut script) = Script::modern(without, TASKS).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    let asked = script.receive_request("tools/call").await;
    script.answer(&asked, &announced()).await;
    let error = soon(calling).await.expect("no panic").map(drop);
    let error = error.expect_err("the client does not know tasks");
    assert!(matches!(error, CallError::ResultType { .. }), "{error:?}");
}

#[tokio::test]
async fn malformed_announcement_is_an_invalid_response() {
    let long = announced().replace("t1", &"x".repeat(1 << 20));
    for answer in [
        long,
        announced().replace("t1", ""),
        announced().replace("working", "thinking"),
        announced().replace("\"t1\"", "1"),
    ] {
        let error = refused(TASKS, &answer).await;
        assert!(matches!(error, CallError::Answer { .. }), "{error:?}");
        assert!(error.to_string().len() < 1000, "{error}");
    }
}

#[tokio::test]
async fn malformed_state_ends_the_call_and_cancels_the_task() {
    for answer in [
        state("thinking", ""),
        state("completed", ""),
        state("failed", ""),
        state("input_required", ""),
        completed("x").replace("complete\",", "partial\","),
        state(
            "completed",
            r#","result":{"resultType":"task","taskId":"t2"}"#,
        ),
        state(
            "completed",
            r#","result":{"resultType":"input_required","inputRequests":{}}"#,
        ),
    ] {
        let (client, mut script) = Script::modern(builder(), TASKS).await;
        let calling = tokio::spawn(client.call_tool("render").into_future());
        announce(&mut script).await;
        let asked = script.receive_request("tasks/get").await;
        script.answer(&asked, &answer).await;
        let error = soon(calling).await.expect("no panic").map(drop);
        let error = error.expect_err("an invalid state");
        assert!(
            matches!(
                error,
                CallError::Answer { .. } | CallError::ResultType { .. }
            ),
            "{answer}: {error:?}"
        );
        if !answer.contains("\"completed\"") && !answer.contains("\"failed\"") {
            let asked = script.receive_request("tasks/cancel").await;
            assert_eq!(asked["params"]["taskId"], "t1");
        }
    }
}

#[tokio::test]
async fn examples_with_the_type_task_are_understood() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    announce(&mut script).await;
    let asked = script.receive_request("tasks/get").await;
    assert_eq!(asked["params"]["taskId"], "t1");
    let answer = completed("done").replacen("complete\"", "task\"", 1);
    script.answer(&asked, &answer).await;
    let result = soon(calling).await.expect("no panic").expect("a result");
    assert_eq!(result.text(), "done");
}

#[tokio::test]
async fn messages_without_numbers_are_counted() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let call = client.call_tool("render").on_progress(move |report| {
        let _ = sender.send((report.progress.to_string(), report.total, report.message));
    });
    let calling = tokio::spawn(call.into_future());
    announce(&mut script).await;
    let foreign = r#","_meta":{"mcp-server/progress":{"progress":"most"}}"#;
    for more in [
        r#","statusMessage":"one""#,
        "",
        r#","statusMessage":"one""#,
        &format!(r#","statusMessage":"two"{foreign}"#),
        r#","statusMessage":"3 of 4","_meta":{"mcp-server/progress":{"progress":3,"total":4}}"#,
        r#","statusMessage":"3 of 4","_meta":{"mcp-server/progress":{"progress":3,"total":4}}"#,
    ] {
        let asked = script.receive_request("tasks/get").await;
        script.answer(&asked, &state("working", more)).await;
    }
    let asked = script.receive_request("tasks/get").await;
    script.answer(&asked, &completed("done")).await;
    soon(calling).await.expect("no panic").expect("a result");
    for (progress, total, message) in [
        ("1", None, Some("one")),
        ("2", None, Some("two")),
        ("3", Some(4), None),
    ] {
        let expected = (
            progress.to_owned(),
            total.map(Into::into),
            message.map(str::to_owned),
        );
        assert_eq!(soon(reports.recv()).await, Some(expected));
    }
    assert_eq!(soon(reports.recv()).await, None);
}

const ASKED: &str = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{}}}}"#;

#[tokio::test]
async fn question_is_answered_once_however_often_it_is_asked() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let builder = builder().on_elicit_form(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(ElicitResult::new(ElicitAction::Decline)) }
    });
    let (client, mut script) = Script::modern(builder, TASKS).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    announce(&mut script).await;
    let asking = format!(r#","inputRequests":{{"a":{ASKED}}}"#);
    let mut updates = 0;
    for poll in 0..4 {
        let mut asked = script.read().await;
        if asked["method"] == "tasks/update" {
            updates += 1;
            assert_eq!(asked["params"]["inputResponses"]["a"]["action"], "decline");
            script.answer(&asked, r#"{"resultType":"complete"}"#).await;
            asked = script.read().await;
        }
        assert_eq!(asked["method"], "tasks/get", "{asked}");
        let answer = if poll == 3 {
            completed("done")
        } else {
            state("input_required", &asking)
        };
        script.answer(&asked, &answer).await;
    }
    let result = soon(calling).await.expect("no panic").expect("a result");
    assert_eq!(result.text(), "done");
    assert_eq!((count.load(Ordering::Relaxed), updates), (1, 1));
}

#[tokio::test]
async fn questions_are_limited() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let calling = tokio::spawn(client.call_tool("render").into_future());
    announce(&mut script).await;
    let asked = script.receive_request("tasks/get").await;
    let questions: Vec<_> = (0..65).map(|at| format!(r#""{at}":{ASKED}"#)).collect();
    let questions = format!(r#","inputRequests":{{{}}}"#, questions.join(","));
    script
        .answer(&asked, &state("input_required", &questions))
        .await;
    let error = soon(calling).await.expect("no panic").map(drop);
    let error = error.expect_err("too many questions");
    assert!(matches!(error, CallError::Questions { .. }), "{error:?}");
    script.receive_request("tasks/cancel").await;
}

#[cfg(feature = "json-schema")]
#[tokio::test]
async fn result_of_a_task_is_checked_against_the_schema_of_its_tool() {
    use mcp_client::StartedCall;

    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.tools().one_page().await });
    let asked = script.receive_request("tools/list").await;
    let tools = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"render","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["file"]}}]}"#;
    script.answer(&asked, tools).await;
    soon(listing).await.expect("no panic").expect("a list");
    let wrong = state(
        "completed",
        r#","result":{"content":[],"structuredContent":{}}"#,
    );

    let calling = tokio::spawn(client.call_tool("render").into_future());
    announce(&mut script).await;
    let asked = script.receive_request("tasks/get").await;
    script.answer(&asked, &wrong).await;
    let called = soon(calling).await.expect("no panic").map(drop);
    assert!(
        matches!(called, Err(CallError::Output { .. })),
        "{called:?}"
    );

    let starting = tokio::spawn(client.call_tool("render").start_task());
    announce(&mut script).await;
    let Ok(StartedCall::Task(handle)) = soon(starting).await.expect("no panic") else {
        panic!("expected a task");
    };
    let waiting = tokio::spawn(async move { handle.wait().await });
    let asked = script.receive_request("tasks/get").await;
    script.answer(&asked, &wrong).await;
    let waited = soon(waiting).await.expect("no panic").map(drop);
    assert!(
        matches!(waited, Err(CallError::Output { .. })),
        "{waited:?}"
    );
}
