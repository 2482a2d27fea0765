//! Several rounds with a modern client.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::peer::{Count, Peer, accept, builder, connect, text};

fn peer() -> Peer {
    connect(&builder(&Count::default()).build().unwrap())
}

/// Returns the keys of the input requests in a result.
fn keys(answer: &Value) -> Vec<String> {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let requests = result["inputRequests"].as_object().unwrap();
    requests.keys().cloned().collect()
}

fn round(answer: &Value, responses: &Value) -> Value {
    json!({ "inputResponses": responses, "requestState": answer["result"]["requestState"] })
}

#[tokio::test]
async fn answers_of_earlier_rounds_need_not_be_repeated() {
    let mut peer = peer();
    for tool in ["greet", "spawned"] {
        let first = peer.call_round(tool, json!({})).await;
        assert_eq!(keys(&first), ["user_name"]);
        let request = &first["result"]["inputRequests"]["user_name"];
        assert_eq!(request["method"], "elicitation/create");
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string", "minLength": 1 } },
            "required": ["name"],
        });
        assert_eq!(request["params"]["requestedSchema"], schema);

        let name = json!({ "user_name": accept(json!({ "name": "Ada" })) });
        let second = peer.call_round(tool, round(&first, &name)).await;
        let [key] = &keys(&second)[..] else {
            panic!("{second}");
        };
        assert!(key.starts_with("elicitation-"), "{key}");
        let message = &second["result"]["inputRequests"][key]["params"]["message"];
        assert_eq!(message, "Which word, Ada?");
        assert_ne!(
            first["result"]["requestState"],
            second["result"]["requestState"]
        );

        let word = json!({ key: accept(json!({ "word": "loom" })) });
        let third = peer.call_round(tool, round(&second, &word)).await;
        assert_eq!(third["result"]["resultType"], "complete");
        assert_eq!(text(&third), r#"Ada: {"word":"loom"}"#);
    }
}

#[tokio::test]
async fn joined_input_requests_are_sent_together_and_repeated_if_unanswered() {
    let mut peer = peer();
    let first = peer.call_round("together", json!({})).await;
    let all = keys(&first);
    assert_eq!(all.len(), 3, "{first}");
    let find = |kind: &str| all.iter().find(|key| key.starts_with(kind)).unwrap();
    let (word, roots) = (find("elicitation-"), find("roots-"));
    assert!(all.contains(&"said".to_owned()));

    let said = json!({
        "role": "assistant", "model": "m", "content": { "type": "text", "text": "Hi" },
    });
    let some = json!({ "said": said, word: { "action": "decline" } });
    let second = peer.call_round("together", round(&first, &some)).await;
    assert_eq!(keys(&second), std::slice::from_ref(roots));

    let rest = json!({ roots: { "roots": [{ "uri": "file:///a" }, { "uri": "file:///b" }] } });
    let third = peer.call_round("together", round(&second, &rest)).await;
    assert_eq!(text(&third), "declined m 2");
}

#[tokio::test]
async fn unrequested_answers_are_used_and_unknown_keys_ignored() {
    let mut peer = peer();
    let responses = json!({
        "user_name": accept(json!({ "name": "Ada" })),
        "unknown": accept(json!({ "x": 1 })),
    });
    let answer = peer
        .call_round("greet", json!({ "inputResponses": responses }))
        .await;
    assert!(!keys(&answer).contains(&"user_name".to_owned()), "{answer}");
    let wrong = json!({ "inputResponses": { "wrong": accept(json!({})) } });
    assert_eq!(keys(&peer.call_round("greet", wrong).await), ["user_name"]);
}

#[tokio::test]
async fn invalid_answer_is_rejected_and_can_be_corrected() {
    let mut peer = peer();
    let first = peer.call_round("greet", json!({})).await;
    let roots = json!({ "roots": [] });
    for (answer, reason) in [
        (
            accept(json!({})),
            "`content` lacks the required member `name`",
        ),
        (
            accept(json!({ "name": 5 })),
            "`content.name` is not a string",
        ),
        (accept(json!({ "name": "" })), "fewer than 1 characters"),
        (roots, "user_name"),
        (json!(12345), "user_name"),
    ] {
        let responses = json!({ "user_name": answer });
        let refused = peer.call_round("greet", round(&first, &responses)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    }
    let good = json!({ "user_name": { "action": "cancel" } });
    assert_eq!(
        text(&peer.call_round("greet", round(&first, &good)).await),
        "no name"
    );
}

#[tokio::test]
async fn cached_work_before_an_input_request_runs_once() {
    let count = Count::default();
    let mut peer = connect(&builder(&count).build().unwrap());
    let first = peer.call_round("once", json!({})).await;
    let [key] = &keys(&first)[..] else {
        panic!("{first}");
    };
    let message = &first["result"]["inputRequests"][key]["params"]["message"];
    assert_eq!(message, "Take 1?");
    let sure = json!({ key: accept(json!({ "ok": true })) });
    let second = peer.call_round("once", round(&first, &sure)).await;
    assert_eq!(text(&second), r#"1: {"ok":true}"#);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn input_request_without_client_capability_is_rejected() {
    let mut peer = peer();
    for (capabilities, tool, needed) in [
        (json!({}), "greet", json!({ "elicitation": { "form": {} } })),
        (
            json!({ "elicitation": { "url": {} } }),
            "greet",
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            json!({ "elicitation": {} }),
            "page",
            json!({ "elicitation": { "url": {} } }),
        ),
        (
            json!({ "elicitation": {}, "roots": {} }),
            "together",
            json!({ "sampling": {} }),
        ),
    ] {
        peer.capabilities = capabilities;
        let refused = peer.call_round(tool, json!({})).await;
        if tool == "together" {
            // The other two are requested: the handler reads the answers only when all are
            // available.
            assert_eq!(keys(&refused).len(), 2);
            continue;
        }
        assert_eq!(refused["error"]["code"], -32021, "{refused}");
        assert_eq!(refused["error"]["data"]["requiredCapabilities"], needed);
    }
    peer.capabilities = json!({ "elicitation": {} });
    assert_eq!(
        keys(&peer.call_round("greet", json!({})).await),
        ["user_name"]
    );
}

#[tokio::test]
async fn url_elicitation_returns_consent() {
    let mut peer = peer();
    let first = peer.call_round("page", json!({})).await;
    let [key] = &keys(&first)[..] else {
        panic!("{first}");
    };
    let params =
        json!({ "mode": "url", "message": "Please sign in", "url": "https://example.com/in" });
    assert_eq!(first["result"]["inputRequests"][key]["params"], params);
    let yes = json!({ key: { "action": "accept" } });
    let second = peer.call_round("page", round(&first, &yes)).await;
    assert_eq!(text(&second), "Accepted(())");
}

#[tokio::test]
async fn input_is_rejected_in_other_methods() {
    let mut peer = peer();
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "p" },
        "argument": { "name": "a", "value": "" },
    });
    let answer = peer.request_alone("completion/complete", params).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("refused:"), "{message}");
}

#[tokio::test]
async fn duplicate_input_key_is_an_error() {
    let mut peer = peer();
    let first = peer.call_round("twice", json!({})).await;
    let word = json!({ "a": accept(json!({ "word": "x" })) });
    let second = peer.call_round("twice", round(&first, &word)).await;
    assert_eq!(second["error"]["code"], -32603, "{second}");
}
