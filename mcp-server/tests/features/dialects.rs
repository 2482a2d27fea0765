//! The JSON Schema dialects that a tool's schema may use.

use mcp_server::types::json::{Object, Value};
use mcp_server::{BuildError, BuildErrors, Server, ToolDef};
use serde_json::json;

use crate::support::peer::Peer;

fn build(schema: serde_json::Value) -> Result<Server, BuildErrors> {
    let schema: Value = schema.into();
    let tool = ToolDef::new("t").input_schema(schema);
    let tool = tool.object_handler(|_: Object| async { "fits" });
    Server::builder("test", "1").add_tool(tool).build()
}

fn schema(dialect: Option<&str>, member: &serde_json::Value) -> serde_json::Value {
    let mut schema = json!({ "type": "object" });
    schema["properties"] = json!({ "a": member });
    if let Some(dialect) = dialect {
        schema["$schema"] = json!(dialect);
    }
    schema
}

/// Tests each dialect with a keyword that only this dialect interprets in this way.
#[tokio::test]
async fn schema_is_validated_by_its_declared_dialect() {
    let pair = || json!([{ "type": "string" }, { "type": "number" }]);
    let tuple = || json!({ "items": pair(), "additionalItems": false });
    let good = || json!(["x", 1]);
    let bad = || json!([1, "x"]);
    let bound = || json!({ "minimum": 1, "exclusiveMinimum": true });
    for (dialect, member, fits, fails) in [
        (
            None,
            json!({ "prefixItems": pair(), "items": false }),
            good(),
            bad(),
        ),
        (
            Some("https://json-schema.org/draft/2020-12/schema"),
            json!({ "prefixItems": pair(), "items": false }),
            good(),
            bad(),
        ),
        (
            Some("https://json-schema.org/draft/2019-09/schema"),
            json!({ "items": pair(), "unevaluatedItems": false }),
            good(),
            json!(["x", 1, 1]),
        ),
        (
            Some("http://json-schema.org/draft-07/schema#"),
            tuple(),
            good(),
            bad(),
        ),
        (
            Some("http://json-schema.org/draft-07/schema"),
            json!({ "if": { "type": "string" }, "then": { "maxLength": 1 } }),
            json!("x"),
            json!("xy"),
        ),
        (
            Some("http://json-schema.org/draft-06/schema#"),
            tuple(),
            good(),
            bad(),
        ),
        (
            Some("http://json-schema.org/draft-06/schema#"),
            json!({ "const": 1, "if": true, "then": false }),
            json!(1),
            json!(2),
        ),
        (
            Some("http://json-schema.org/draft-04/schema#"),
            bound(),
            json!(2),
            json!(1),
        ),
    ] {
        let server = build(schema(dialect, &member)).expect("a schema");
        let mut peer = Peer::modern(&server);
        let result = peer.call("t", json!({ "a": fits })).await;
        assert_eq!(
            result["content"][0]["text"], "fits",
            "{dialect:?}: {result}"
        );
        let result = peer.call("t", json!({ "a": fails })).await;
        assert_eq!(result["isError"], true, "{dialect:?}: {result}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.contains("$.a"), "{dialect:?}: {text}");
        let listed = peer.result("tools/list", json!({})).await;
        let named = &listed["tools"][0]["inputSchema"]["$schema"];
        assert_eq!(named.as_str(), dialect, "it is given out as it is");
    }
    // The same keyword is invalid in another dialect.
    assert!(build(schema(None, &tuple())).is_err());
    assert!(
        build(schema(
            Some("http://json-schema.org/draft-07/schema#"),
            &bound()
        ))
        .is_err()
    );
}

/// The file exists, so that it would be loaded if the validator tried.
#[test]
fn external_references_are_rejected_in_every_dialect() {
    let file = concat!("file://", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
    ] {
        for reference in ["http://127.0.0.1:9/s.json", "other.json", file] {
            let mut schema = schema(Some(dialect), &json!({ "$ref": reference }));
            let base = if dialect.contains("04") { "id" } else { "$id" };
            schema[base] = json!("https://example.com/root.json");
            let error = build(schema).expect_err("it is elsewhere");
            let [BuildError::Invalid { name, reason, .. }] = error.errors() else {
                panic!("{error}");
            };
            assert_eq!(name, "t");
            assert!(reason.starts_with("in the schema"), "{error}");
        }
    }
    for dialect in [
        "https://example.com/mine",
        "http://json-schema.org/schema#",
        "",
    ] {
        let error = build(schema(Some(dialect), &json!({}))).expect_err("it is not known");
        assert!(error.to_string().contains("is not known"), "{error}");
    }
}
