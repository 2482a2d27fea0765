//! Input requests of prompts and resources.

use mcp_server::types::StringSchema;
use mcp_server::types::json::Object;
use mcp_server::{Context, Form, HandlerError, ResourceDef, Server};
use serde_json::{Value, json};

use super::peer::{accept, connect};

async fn word(cx: &Context) -> Result<String, HandlerError> {
    let form = Form::<Object>::new("Which word?").required("word", StringSchema::new());
    let answer = cx.elicit(form).key("w").await?.accepted();
    let word = answer
        .as_ref()
        .and_then(|answer| answer.get("word")?.as_str());
    Ok(word.unwrap_or("none").to_owned())
}

fn server() -> Server {
    let resource =
        ResourceDef::new("x:word", "word").handler(|cx: Context| async move { word(&cx).await });
    Server::builder("input", "1")
        .prompt("word", "Asks for a word", |cx: Context| async move {
            word(&cx).await
        })
        .add_resource(resource)
        .build()
        .unwrap()
}

/// The methods, and the position of the word in their results.
fn methods() -> [(&'static str, Value, &'static str); 2] {
    [
        (
            "prompts/get",
            json!({ "name": "word" }),
            "/result/messages/0/content/text",
        ),
        (
            "resources/read",
            json!({ "uri": "x:word" }),
            "/result/contents/0/text",
        ),
    ]
}

#[tokio::test]
async fn modern_client_answers_input_of_prompts_and_resources_in_a_second_round() {
    let mut peer = connect(&server());
    let mut states = Vec::new();
    for (method, params, place) in methods() {
        let first = peer.request_alone(method, params.clone()).await;
        assert_eq!(first["result"]["resultType"], "input_required", "{first}");
        let question = &first["result"]["inputRequests"]["w"];
        assert_eq!(question["method"], "elicitation/create");
        let mut again = params;
        again["inputResponses"] = json!({ "w": accept(json!({ "word": "loom" })) });
        again["requestState"] = first["result"]["requestState"].clone();
        states.push(again["requestState"].clone());
        let second = peer.request_alone(method, again).await;
        assert_eq!(second["result"]["resultType"], "complete", "{second}");
        assert_eq!(second.pointer(place).unwrap(), "loom");
    }
    // The state of one method is invalid for another.
    let [(method, mut params, _), _] = methods();
    params["requestState"] = states.swap_remove(1);
    assert_eq!(
        peer.request_alone(method, params).await["error"]["code"],
        -32602
    );
}

#[tokio::test]
async fn legacy_client_gets_input_requests_of_prompts_and_resources() {
    let mut peer = connect(&server());
    peer.handshake("2025-11-25").await;
    for (method, params, place) in methods() {
        let message = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        peer.send(message).await;
        let question = peer.receive().await;
        assert_eq!(question["method"], "elicitation/create");
        peer.answer(&question, accept(json!({ "word": "loom" })))
            .await;
        let answer = peer.receive().await;
        assert_eq!(
            (&answer["id"], answer.pointer(place).unwrap()),
            (&json!(method), &json!("loom"))
        );
    }
}

#[tokio::test]
async fn input_of_prompts_and_resources_requires_client_capabilities() {
    for revision in ["2026-07-28", "2025-11-25"] {
        let mut peer = connect(&server());
        peer.capabilities = json!({});
        let code = if revision == "2026-07-28" {
            -32021
        } else {
            peer.handshake(revision).await;
            -32602
        };
        for (method, params, _) in methods() {
            let answer = if code == -32021 {
                peer.request_alone(method, params).await
            } else {
                peer.send(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
                    .await;
                peer.receive().await
            };
            assert_eq!(answer["error"]["code"], code, "{answer}");
        }
    }
}
