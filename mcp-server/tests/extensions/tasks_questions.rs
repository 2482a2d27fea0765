//! Questions of tasks, and subscriptions to tasks.

use mcp_server::types::{BooleanSchema, StringSchema};
use mcp_server::{Context, Elicited, Form, HandlerError, TaskOptions, ToolDef};
use serde_json::{Value, json};

use super::tasks::{accept, builder, connect, get, reach, start, task, text_of, until, update};
use crate::support::peer::Peer;

async fn two_questions(cx: Context) -> Result<String, HandlerError> {
    let ask = |name: &str| {
        let form = Form::new(format!("Your {name}?")).required("value", StringSchema::new());
        cx.elicit(form).key(name)
    };
    let (first, second) = tokio::join!(ask("first").into_future(), ask("second").into_future());
    let value = |answer: Elicited<mcp_server::types::json::Object>| match answer {
        Elicited::Accepted(answer) => text_of(&answer, "value"),
        _ => "nothing".to_owned(),
    };
    Ok(format!("{} {}", value(first?), value(second?)))
}

#[tokio::test]
async fn questions_are_answered_one_by_one_by_updates() {
    let server = builder(task("ask").handler(two_questions)).build().unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "ask").await;
    let asked = |count: usize| {
        move |task: &Value| {
            task["inputRequests"]
                .as_object()
                .is_some_and(|open| open.len() == count)
        }
    };
    let task = until(&mut peer, &id, asked(2)).await;
    assert_eq!(task["status"], "input_required", "{task}");
    let question = &task["inputRequests"]["first"];
    assert_eq!(question["method"], "elicitation/create", "{task}");
    let answers = json!({ "first": accept(json!({ "value": "Ada" })), "other": accept(json!({})) });
    update(&mut peer, &id, answers).await;
    let task = get(&mut peer, &id).await;
    let open: Vec<_> = task["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(
        (open, &task["status"]),
        (vec![&"second".to_owned()], &json!("input_required"))
    );
    // A response of another form is refused for an open question, and ignored for others.
    let other = json!({ "taskId": id, "inputResponses": { "second": { "b": 1 }, "first": 1 } });
    let (code, message) = peer.error("tasks/update", other).await;
    assert_eq!(code, -32602);
    assert!(message.contains("$.inputResponses.second"), "{message}");
    let misfit = json!({ "second": accept(json!({ "value": 1 })) });
    let misfit = json!({ "taskId": id, "inputResponses": misfit });
    assert_eq!(peer.error("tasks/update", misfit).await.0, -32602);
    update(&mut peer, &id, json!({ "first": { "b": 1 }, "third": 1 })).await;
    // A second answer to the same question is ignored.
    update(
        &mut peer,
        &id,
        json!({ "first": accept(json!({ "value": "Eve" })) }),
    )
    .await;
    update(&mut peer, &id, json!({ "second": { "action": "decline" } })).await;
    let ended = reach(&mut peer, &id, "completed").await;
    assert_eq!(
        ended["result"]["content"][0]["text"], "Ada nothing",
        "{ended}"
    );
    update(&mut peer, &id, json!({ "second": { "action": "decline" } })).await;
}

#[tokio::test]
async fn question_before_the_task_is_asked_in_the_call() {
    let order = |cx: Context| async move {
        let form = Form::new("Which?").required("which", StringSchema::new());
        let Elicited::Accepted(answer) = cx.elicit(form).key("which").await? else {
            return Ok("nothing".to_owned());
        };
        cx.begin_task().await?;
        let sure = Form::new("Sure?").required("sure", BooleanSchema::new());
        cx.elicit(sure).key("sure").await?;
        Ok::<_, HandlerError>(format!("ordered {}", text_of(&answer, "which")))
    };
    let options = TaskOptions::new().begins_later();
    let tool = ToolDef::new("order").handler(order).as_task(options);
    let server = builder(tool).build().unwrap();
    let mut peer = connect(&server);
    let asked = peer.call("order", json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let answered = |response: Value| {
        json!({
            "name": "order", "arguments": {}, "requestState": asked["requestState"],
            "inputResponses": { "which": response },
        })
    };
    let declined = answered(json!({ "action": "decline" }));
    let result = peer.result("tools/call", declined).await;
    assert_eq!(result["content"][0]["text"], "nothing", "{result}");
    let created = peer
        .result("tools/call", answered(accept(json!({ "which": "tea" }))))
        .await;
    assert_eq!(created["resultType"], "task", "{created}");
    assert!(created["requestState"].is_null(), "{created}");
    let id = created["taskId"].as_str().unwrap();
    let task = reach(&mut peer, id, "input_required").await;
    assert_eq!(
        task["inputRequests"].as_object().unwrap().len(),
        1,
        "{task}"
    );
    update(
        &mut peer,
        id,
        json!({ "sure": accept(json!({ "sure": true })) }),
    )
    .await;
    let ended = reach(&mut peer, id, "completed").await;
    assert_eq!(
        ended["result"]["content"][0]["text"], "ordered tea",
        "{ended}"
    );
}

#[tokio::test]
async fn subscription_reports_tasks_until_they_end() {
    let server = builder(task("ask").handler(two_questions)).build().unwrap();
    let mut peer = connect(&server);
    let id = start(&mut peer, "ask").await;
    let unknown = "0".repeat(32);
    let mut watcher = connect(&server);
    let listen = json!({ "notifications": { "taskIds": [id, unknown, id] } });
    let request = watcher.start("subscriptions/listen", listen.clone()).await;
    let acknowledged = watcher.receive().await;
    let accepted = &acknowledged["params"]["notifications"];
    assert_eq!(accepted["taskIds"], json!([id]), "{acknowledged}");
    let next = async |watcher: &mut Peer| {
        let notification = watcher.receive().await;
        assert_eq!(
            notification["method"], "notifications/tasks",
            "{notification}"
        );
        let params = &notification["params"];
        let subscription = &params["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(subscription, &json!(request), "{notification}");
        params.clone()
    };
    let mut task = next(&mut watcher).await;
    while task["inputRequests"]
        .as_object()
        .is_none_or(|open| open.len() < 2)
    {
        task = next(&mut watcher).await;
    }
    for key in ["first", "second"] {
        update(&mut peer, &id, json!({ key: { "action": "cancel" } })).await;
    }
    while task["status"] != "completed" {
        task = next(&mut watcher).await;
    }
    assert_eq!(
        task["result"]["content"][0]["text"], "nothing nothing",
        "{task}"
    );
    let mut without = Peer::modern(&server);
    assert_eq!(
        without.error("subscriptions/listen", listen).await.0,
        -32021
    );
    let many: Vec<&str> = vec![&unknown; 101];
    let listen = json!({ "notifications": { "taskIds": many } });
    assert_eq!(
        watcher.error("subscriptions/listen", listen).await.0,
        -32602
    );
}
