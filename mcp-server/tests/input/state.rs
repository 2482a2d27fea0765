//! Request state of another server or request, or expired.

use std::time::Duration;

use mcp_server::{Extensions, Keys, Limits, Principal, Server};
use serde_json::{Value, json};

use super::peer::{Count, accept, builder, connect, connect_with};

fn server(key: u8) -> Server {
    let keys = Keys::from_bytes([key; 32]);
    builder(&Count::default()).keys(keys).build().unwrap()
}

async fn state(server: &Server, tool: &str) -> String {
    let answer = connect(server).call_round(tool, json!({})).await;
    answer["result"]["requestState"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn send_state_back(server: &Server, tool: &str, state: &str) -> Value {
    let responses = json!({ "user_name": accept(json!({ "name": "Ada" })) });
    let round = json!({ "inputResponses": responses, "requestState": state });
    connect(server).call_round(tool, round).await
}

fn refused(answer: &Value) -> bool {
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    answer["error"]["code"] == -32602 && message.starts_with("`requestState`")
}

#[tokio::test]
async fn changed_request_state_is_rejected() {
    let server = server(1);
    let state = state(&server, "greet").await;
    assert!(!refused(&send_state_back(&server, "greet", &state).await));
    for changed in [
        format!("{state}-TAMPERED"),
        state[1..].to_owned(),
        String::new(),
    ] {
        let answer = send_state_back(&server, "greet", &changed).await;
        assert!(refused(&answer), "{answer}");
    }
    for place in 0..state.len() {
        let mut changed = state.clone().into_bytes();
        changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        let answer = send_state_back(&server, "greet", &changed).await;
        assert!(refused(&answer), "{answer}");
    }
}

#[tokio::test]
async fn request_state_is_bound_to_its_request() {
    let server = server(1);
    let state = state(&server, "greet").await;
    assert!(refused(&send_state_back(&server, "spawned", &state).await));
    let other = json!({ "requestState": state, "arguments": { "a": 1 } });
    let answer = connect(&server).call_round("greet", other).await;
    assert!(refused(&answer), "{answer}");
}

#[tokio::test]
async fn request_state_ignores_the_order_of_members() {
    let server = server(1);
    let mut peer = connect(&server);
    let first: Value = serde_json::from_str(r#"{"arguments":{"a":1,"b":{"c":1,"d":2}}}"#).unwrap();
    let state = peer.call_round("greet", first).await["result"]["requestState"].take();
    let state = state.as_str().unwrap();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"arguments":{{"b":{{"d":2,"c":1}},"a":1}},"requestState":"{state}","_meta":{{"io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"name":"greet"}}}}"#
    );
    peer.send(&line).await;
    assert_eq!(
        peer.receive().await["result"]["resultType"],
        "input_required"
    );
}

#[tokio::test]
async fn request_state_expires() {
    let mut limits = Limits::default();
    limits.state_time = Duration::ZERO;
    let server = builder(&Count::default()).limits(limits).build().unwrap();
    let state = state(&server, "greet").await;
    let answer = send_state_back(&server, "greet", &state).await;
    assert!(refused(&answer), "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("expired"), "{message}");
}

#[tokio::test]
async fn request_state_requires_the_same_key() {
    let state = state(&server(1), "greet").await;
    assert!(!refused(
        &send_state_back(&server(1), "greet", &state).await
    ));
    let other = server(2);
    assert!(refused(&send_state_back(&other, "greet", &state).await));
    other.rotate_keys(Keys::from_bytes([3; 32]).with_previous([1; 32]));
    assert!(!refused(&send_state_back(&other, "greet", &state).await));
}

#[tokio::test]
async fn request_state_is_bound_to_its_principal() {
    let server = server(1);
    let peer = |name: &str| {
        let mut extensions = Extensions::new();
        extensions.insert(Principal(name.to_owned()));
        connect_with(&server, extensions)
    };
    let first = peer("alice").call_round("greet", json!({})).await;
    let responses = json!({ "user_name": accept(json!({ "name": "Ada" })) });
    let state = &first["result"]["requestState"];
    let round = json!({ "inputResponses": responses, "requestState": state });
    let bobs = peer("bob").call_round("greet", round.clone()).await;
    assert!(refused(&bobs), "{bobs}");
    let nobodys = connect(&server).call_round("greet", round.clone()).await;
    assert!(refused(&nobodys), "{nobodys}");
    // On another connection of the same principal.
    let hers = peer("alice").call_round("greet", round).await;
    assert_eq!(hers["result"]["resultType"], "input_required", "{hers}");
}
