//! Untrusted schemas whose validation would be exponential.

use mcp_server::types::json::{Object, Value as OwnValue};
use mcp_server::{BuildError, Limits, Server, ToolDef};
use serde_json::{Value, json};

use crate::support::peer::Peer;

fn tool(schema: Value) -> ToolDef {
    ToolDef::new("costly")
        .input_schema(OwnValue::from(schema))
        .object_handler(|_: Object| async { "done" })
}

/// A server without a limit on the number of values in a message, so that only the cost of
/// validation is limited.
fn server(schema: Value) -> Server {
    let mut limits = Limits::default();
    limits.message_values = usize::MAX;
    let builder = Server::builder("test", "1").limits(limits);
    let builder = builder.add_tool(tool(schema));
    let builder = builder.tool("quick", "", async || "done");
    builder.build().expect("a server")
}

/// Returns whether a call failed, and its text.
async fn call(peer: &mut Peer, tool: &str, arguments: Value) -> (bool, String) {
    let result = peer.call(tool, arguments).await;
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no text: {result}"));
    (result["isError"] == true, text.to_owned())
}

/// Returns `{"a": {"a": ... inmost}}`.
fn nested(levels: usize, inmost: Value) -> Value {
    (0..levels).fold(inmost, |value, _| json!({ "a": value }))
}

#[test]
fn tool_with_an_exponential_schema_is_rejected_by_name() {
    let mut definitions = json!({ "d60": { "type": "object" } });
    for step in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
        definitions[format!("d{step}")] = json!({ "allOf": [next, next] });
    }
    let schema = json!({ "type": "object", "$ref": "#/$defs/d0", "$defs": definitions });
    let output = json!({ "$ref": "#/$defs/d0", "$defs": definitions });
    let with_output = tool(json!({ "type": "object" })).output_schema(OwnValue::from(output));
    for tool in [tool(schema), with_output] {
        let built = Server::builder("test", "1").add_tool(tool).build();
        let error = built.expect_err("the schema is exponential");
        let [BuildError::Invalid { name, reason, .. }] = error.errors() else {
            panic!("{error}");
        };
        assert_eq!(name, "costly");
        let received = ["could take too long", "100000 parts"];
        assert!(
            received.iter().all(|part| reason.contains(part)),
            "{reason}"
        );
    }
}

/// Validation itself is fast, but the search for errors would follow every path through the schema.
#[tokio::test]
async fn hostile_arguments_for_a_recursive_schema_do_not_block() {
    let again = json!({ "properties": { "a": { "$ref": "#" } } });
    let schema = json!({ "type": "object", "allOf": [again, again] });
    let mut peer = Peer::modern(&server(schema));
    let (failed, text) = call(&mut peer, "costly", nested(100, json!(1))).await;
    assert!(
        failed && text.contains("too deep to find the place"),
        "{text}"
    );
    assert_eq!(call(&mut peer, "quick", json!({})).await.1, "done");
    let right = call(&mut peer, "costly", nested(100, json!({}))).await;
    assert_eq!(right, (false, "done".to_owned()));
    // Errors of small values are still reported with their path.
    let (failed, text) = call(&mut peer, "costly", nested(2, json!(1))).await;
    assert!(failed && text.contains("$.a.a"), "{text}");
}

#[tokio::test]
async fn large_arguments_for_a_large_schema_are_rejected() {
    let branches = vec![json!({ "type": "integer", "minimum": 7 }); 2_000];
    let schema = json!({
        "type": "object",
        "properties": { "list": { "items": { "anyOf": branches } } },
    });
    let mut peer = Peer::modern(&server(schema));
    let many = json!({ "list": vec![0; 1_000_000] });
    let (failed, text) = call(&mut peer, "costly", many).await;
    assert!(failed && text.contains("would take too long"), "{text}");
    let right = call(&mut peer, "costly", json!({ "list": [7, 8] })).await;
    assert_eq!(right, (false, "done".to_owned()));
}

/// One error for each of many elements would need a multiple of their memory.
#[tokio::test]
async fn errors_of_large_arguments_are_not_collected() {
    let schema = json!({
        "type": "object",
        "properties": { "list": { "items": { "type": "integer" } } },
    });
    let mut peer = Peer::modern(&server(schema));
    let many = json!({ "list": vec![""; 1_000_000] });
    let (failed, text) = call(&mut peer, "costly", many).await;
    assert!(failed && text.contains("too large"), "{text}");
    let (failed, text) = call(&mut peer, "costly", json!({ "list": [1, ""] })).await;
    assert!(failed && text.contains("$.list[1]"), "{text}");
}
