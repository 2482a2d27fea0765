//! The same handlers before 2026-07-28: input is requested from the client.

use std::time::Duration;

use mcp_server::Limits;
use serde_json::{Value, json};

use super::peer::{Count, Peer, accept, builder, connect, text};

async fn peer(revision: &str) -> Peer {
    let mut peer = connect(&builder(&Count::default()).build().unwrap());
    peer.handshake(revision).await;
    peer
}

#[tokio::test]
async fn elicitation_requests_have_the_form_of_the_revision() {
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut peer = peer(revision).await;
        peer.begin("c", "greet").await;
        let question = peer.receive().await;
        assert_eq!(question["method"], "elicitation/create");
        let params = question["params"].as_object().unwrap();
        assert!(
            revision == "2025-11-25" || !params.contains_key("mode"),
            "{question}"
        );
        peer.answer(&question, accept(json!({ "name": "Ada" })))
            .await;
        let question = peer.receive().await;
        assert_eq!(question["params"]["message"], "Which word, Ada?");
        peer.answer(&question, accept(json!({ "word": "loom" })))
            .await;
        let answer = peer.receive().await;
        assert_eq!(
            (&answer["id"], text(&answer)),
            (&json!("c"), r#"Ada: {"word":"loom"}"#)
        );
    }
}

#[tokio::test]
async fn joined_input_requests_are_sent_concurrently() {
    let mut peer = peer("2025-11-25").await;
    peer.begin("c", "together").await;
    let mut questions = Vec::new();
    for _ in 0..3 {
        questions.push(peer.receive().await);
    }
    for question in questions.iter().rev() {
        let result = match question["method"].as_str().unwrap() {
            "elicitation/create" => json!({ "action": "decline" }),
            "roots/list" => json!({ "roots": [] }),
            "sampling/createMessage" => json!({
                "role": "assistant", "model": "m", "content": { "type": "text", "text": "Hi" },
            }),
            other => panic!("{other}"),
        };
        peer.answer(question, result).await;
    }
    assert_eq!(text(&peer.receive().await), "declined m 0");
}

#[tokio::test]
async fn dropped_input_request_sends_cancelled() {
    let mut peer = peer("2025-11-25").await;
    peer.begin("c", "impatient").await;
    let question = peer.receive().await;
    let cancelled = peer.receive().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    assert_eq!(text(&peer.receive().await), "gave up");

    // The same when the client cancels the tool call.
    peer.begin("d", "greet").await;
    let question = peer.receive().await;
    let params = json!({ "requestId": "d" });
    peer.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    let cancelled = peer.receive().await;
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
}

#[tokio::test]
async fn error_of_the_client_is_not_forwarded_as_the_tools_error() {
    let mut peer = peer("2025-11-25").await;
    peer.begin("c", "greet").await;
    let question = peer.receive().await;
    let error = json!({ "code": -1, "message": "no" });
    peer.send(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }))
        .await;
    let answer = peer.receive().await;
    assert_eq!(answer["id"], "c");
    assert_ne!(answer["error"]["code"], -1, "{answer}");

    peer.begin("d", "greet").await;
    let question = peer.receive().await;
    peer.answer(&question, accept(json!({ "name": 1 }))).await;
    assert_eq!(peer.receive().await["error"]["code"], -32603);
}

#[tokio::test]
async fn malformed_answer_fails_the_call_at_once() {
    let reasons = [
        (
            r#""jsonrpc":"2.0","result":{},"error":null"#,
            "both `result` and `error`",
        ),
        (
            r#""jsonrpc":"2.0","result":null,"error":{"code":1,"message":"m"}"#,
            "both `result` and `error`",
        ),
        (r#""result":{"action":"decline"}"#, "no `jsonrpc`"),
        (r#""jsonrpc":"1.0","result":{"action":"decline"}"#, "2.0"),
        (r#""jsonrpc":"2.0","error":"no""#, "`error`"),
    ];
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        for batch in [false, true] {
            if batch && revision != "2025-03-26" {
                continue;
            }
            let mut peer = peer(revision).await;
            for (members, reason) in reasons {
                peer.begin("c", "roots").await;
                let question = peer.receive().await;
                assert_eq!(question["method"], "roots/list", "{question}");
                let answer = format!(r#"{{{members},"id":{}}}"#, question["id"]);
                let line = if batch { format!("[{answer}]") } else { answer };
                peer.send(&line).await;
                let answer = peer.receive().await;
                let message = answer["error"]["message"].as_str().unwrap_or_default();
                assert!(message.contains(reason), "{revision} {members}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn input_request_that_the_revision_lacks_is_rejected() {
    for (revision, tool) in [
        ("2024-11-05", "greet"),
        ("2025-03-26", "greet"),
        ("2025-06-18", "page"),
    ] {
        let mut peer = peer(revision).await;
        peer.begin("c", tool).await;
        let answer = peer.receive().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!("c"), &json!(-32602))
        );
    }
}

#[tokio::test]
async fn url_elicitation_has_an_id_and_a_completion() {
    let mut peer = peer("2025-11-25").await;
    peer.begin("c", "page").await;
    let question = peer.receive().await;
    assert_eq!(question["params"]["elicitationId"], "in-1");
    assert_eq!(question["params"]["mode"], "url");
    peer.answer(&question, json!({ "action": "accept" })).await;
    let complete = peer.receive().await;
    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(complete["params"], json!({ "elicitationId": "in-1" }));
    assert_eq!(text(&peer.receive().await), "Accepted(())");
}

#[tokio::test]
async fn both_eras_share_a_connection() {
    let mut peer = peer("2025-11-25").await;
    peer.begin("c", "greet").await;
    let question = peer.receive().await;
    let modern: Value = peer.call_round("greet", json!({})).await;
    assert_eq!(modern["result"]["resultType"], "input_required");
    peer.answer(&question, json!({ "action": "cancel" })).await;
    assert_eq!(text(&peer.receive().await), "no name");
}

/// The grace time is for running work; the client can no longer answer.
#[tokio::test]
async fn pending_input_request_fails_at_the_end_of_input() {
    let mut limits = Limits::default();
    limits.grace_time = Duration::from_secs(3600);
    let builder = builder(&Count::default()).limits(limits);
    let mut peer = connect(&builder.build().unwrap());
    peer.handshake("2025-11-25").await;
    peer.begin("c", "greet").await;
    peer.begin("d", "stubborn").await;
    let questions = [peer.receive().await, peer.receive().await];
    peer.close_input().await;
    let (mut cancelled, mut answered) = (Vec::new(), Vec::new());
    while let Some(message) = peer.maybe_receive().await {
        if message["method"] == "notifications/cancelled" {
            cancelled.push(message["params"]["requestId"].as_i64());
        } else {
            answered.push(message);
        }
    }
    // Each request is sent once: nothing is requested after the end of input.
    let mut asked = questions.map(|question| question["id"].as_i64()).to_vec();
    asked.sort_unstable();
    cancelled.sort_unstable();
    assert_eq!(cancelled, asked);
    answered.sort_by_key(|answer| answer["id"].to_string());
    let [greeted, stubborn] = &answered[..] else {
        panic!("{answered:?}");
    };
    assert_eq!(greeted["error"]["code"], -32603, "{greeted}");
    let nobody = "HandlerError(the client can no longer answer)";
    let twice = format!("Some({nobody}) Some({nobody})");
    assert_eq!(text(stubborn), twice);
}

#[tokio::test]
async fn input_request_without_client_capability_is_rejected() {
    let form = || json!({ "elicitation": { "form": {} } });
    let url = || json!({ "elicitation": { "url": {} } });
    for (capabilities, tool, needed) in [
        (json!({}), "greet", form()),
        (url(), "greet", form()),
        (json!({}), "page", url()),
        (json!({ "elicitation": {} }), "page", url()),
        (form(), "page", url()),
    ] {
        let mut peer = connect(&builder(&Count::default()).build().unwrap());
        peer.capabilities = capabilities;
        peer.handshake("2025-11-25").await;
        peer.begin("c", tool).await;
        let refused = peer.receive().await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert_eq!(refused["error"]["data"]["requiredCapabilities"], needed);
    }
}
