//! SEP-2093: annotations of embedded resources, on the block and in the contents.

use mcp_client::types::{CallToolResult, ContentBlock, EmbeddedResource};
use mcp_client::{Client, ClientBuilder, Proposal};
use serde_json::{Value, json};

use super::script::{modern, soon};

/// Returns the embedded resource in a tool's result, for a client with these proposals.
async fn embedded(builder: ClientBuilder, block: Value) -> EmbeddedResource {
    let (client, mut script) = modern(builder, &["sep-2093"]).await;
    let result = json!({"result": {"resultType": "complete", "content": [block]}});
    let calling = async { soon(client.call_tool("show")).await };
    let (result, _) = tokio::join!(calling, script.answer_next(result));
    let CallToolResult { mut content, .. } = result.expect("a result");
    match content.pop() {
        Some(ContentBlock::Resource(embedded)) => embedded,
        other => panic!("{other:?}"),
    }
}

fn block(inner: Option<f64>, outer: Option<f64>) -> Value {
    let mut block = json!({"type": "resource", "resource": {"uri": "demo:a", "text": "A"}});
    if let Some(priority) = inner {
        block["resource"]["annotations"] = json!({ "priority": priority });
    }
    if let Some(priority) = outer {
        block["annotations"] = json!({ "priority": priority });
    }
    block
}

fn speaking() -> ClientBuilder {
    Client::builder("test", "1.0.0").proposals([Proposal::Sep2093])
}

#[tokio::test]
async fn annotations_of_the_resource_are_copied_to_the_block() {
    for (inner, outer, beside, effective) in [
        (Some(0.5), None, Some(0.5), Some(0.5)),
        (None, Some(0.25), Some(0.25), Some(0.25)),
        // The block is unchanged; the effective annotations are those of the resource.
        (Some(0.5), Some(0.25), Some(0.25), Some(0.5)),
        (None, None, None, None),
    ] {
        let embedded = embedded(speaking(), block(inner, outer)).await;
        let priority = |annotations: Option<&mcp_client::types::Annotations>| {
            annotations.and_then(|annotations| annotations.priority.clone())
        };
        let said = |number: Option<f64>| {
            let number = number.and_then(mcp_client::types::json::Number::from_f64);
            number.map(|number| number.as_f64())
        };
        let found = priority(embedded.annotations.as_ref()).map(|number| number.as_f64());
        assert_eq!(found, said(beside), "{inner:?} {outer:?}");
        let found = priority(embedded.effective_annotations()).map(|number| number.as_f64());
        assert_eq!(found, said(effective), "{inner:?} {outer:?}");
    }
}

#[tokio::test]
async fn blocks_are_unchanged_without_the_proposal() {
    let plain = Client::builder("test", "1.0.0");
    let embedded = embedded(plain, block(Some(0.5), None)).await;
    assert_eq!(embedded.annotations, None);
}
