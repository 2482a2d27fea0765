//! `tools/list` and `tools/call`.

use mcp_server::types::json::{Object, Value as Json5};
use mcp_server::types::{
    AudioContent, Base64Text, ContentBlock, EmbeddedResource, Icon, ImageContent, ResourceLink,
    TextContent, TextResourceContents, ToolAnnotations,
};
use mcp_server::{HandlerError, Json, Server, ToolDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::peer::Peer;

const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first one.
    a: f64,
    b: f64,
    anything: Option<serde_json::Value>,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Debug, thiserror::Error)]
#[error("the disk is full")]
struct Full(#[source] std::io::Error);

fn schema(value: Value) -> Json5 {
    value.into()
}

fn server() -> Server {
    Server::builder("test", "1")
        .tool("add", "Add two numbers", |args: Add| async move {
            let _ = args.anything;
            args.a + args.b
        })
        .tool("sum", "Structured", |args: Add| async move {
            Json(Sum {
                sum: args.a + args.b,
            })
        })
        .tool("list", "Not an object", async || Json(vec![1, 2]))
        .tool("nothing", "Nothing", async || {})
        .tool("fail", "Fails", async || -> Result<_, HandlerError> {
            Err::<(), _>(Full(std::io::Error::other("no blocks")))?;
            Ok("unreached")
        })
        .tool(
            "refuse",
            "A failure for the model",
            async || -> Result<_, HandlerError> {
                Err::<(), _>(HandlerError::tool("try tomorrow"))
            },
        )
        .tool(
            "protocol",
            "A protocol error",
            async || -> Result<_, HandlerError> {
                Err::<(), _>(HandlerError::invalid_params("no such thing"))
            },
        )
        .tool("mixed", "All blocks", || async {
            vec![
                ContentBlock::from(TextContent::new("text")),
                ImageContent::new(Base64Text::encode(b"i"), "image/png").into(),
                AudioContent::new(Base64Text::encode(b"a"), "audio/wav").into(),
                ResourceLink::new("x:1", "one").description("first").into(),
                EmbeddedResource::new(TextResourceContents::new("x:2", "t")).into(),
            ]
        })
        .add_tool(
            ToolDef::new("raw")
                .title("Raw")
                .annotations(ToolAnnotations::new().read_only_hint(true))
                .icon(Icon::new("https://example.com/i.png"))
                .input_schema(schema(json!({
                    "type": "object",
                    "properties": { "list": { "type": "array", "items": { "$ref": "#/$defs/n" } } },
                    "required": ["list"],
                    "$defs": { "n": { "type": "integer" } },
                })))
                .object_handler(|args: Object| async move { args.len().to_string() }),
        )
        .add_tool(
            ToolDef::new("seven")
                .input_schema(schema(json!({
                    "$schema": "http://json-schema.org/draft-07/schema#",
                    "type": "object",
                    // In draft-07 this is a list of schemas for the first elements, in 2020-12 an
                    // error.
                    "properties": { "pair": { "items": [{ "type": "string" }] } },
                })))
                .object_handler(|_: Object| async { "fits" }),
        )
        .add_tool(
            ToolDef::new("liar")
                .output_schema(schema(json!({ "type": "object", "required": ["truth"] })))
                .handler(async || Json(Sum { sum: 1.0 })),
        )
        .build()
        .unwrap()
}

async fn peers() -> Vec<(&'static str, Peer)> {
    let server = server();
    let mut peers = Vec::new();
    for revision in REVISIONS {
        let peer = match revision {
            "2026-07-28" => Peer::modern(&server),
            revision => Peer::legacy(&server, revision).await,
        };
        peers.push((revision, peer));
    }
    peers
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn tools_are_listed_in_order_with_derived_schemas() {
    for (revision, mut peer) in peers().await {
        let result = peer.result("tools/list", json!({})).await;
        let tools = result["tools"].as_array().unwrap();
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        let all = [
            "add", "sum", "list", "nothing", "fail", "refuse", "protocol", "mixed", "raw", "seven",
            "liar",
        ];
        assert_eq!(names, all, "{revision}");
        let add = &tools[0];
        assert_eq!(add["description"], "Add two numbers");
        assert_eq!(add["inputSchema"]["type"], "object");
        assert_eq!(add["inputSchema"]["required"], json!(["a", "b"]));
        let described = &add["inputSchema"]["properties"]["a"]["description"];
        assert_eq!(*described, "The first one.");
        let nothing = json!({
            "type": "object", "properties": {}, "additionalProperties": false,
        });
        assert_eq!(tools[3]["inputSchema"], nothing);
        let raw = &tools[8];
        assert_eq!(raw["inputSchema"]["$defs"]["n"]["type"], "integer");
        let since = |first: &str, value: Value| {
            if revision >= first {
                value
            } else {
                Value::Null
            }
        };
        assert_eq!(
            raw["title"],
            since("2025-06-18", json!("Raw")),
            "{revision}"
        );
        let hints = json!({ "readOnlyHint": true });
        assert_eq!(raw["annotations"], since("2025-03-26", hints), "{revision}");
        let icons = json!([{ "src": "https://example.com/i.png" }]);
        assert_eq!(raw["icons"], since("2025-11-25", icons), "{revision}");
        let kind = &tools[1]["outputSchema"]["type"];
        assert_eq!(*kind, since("2025-06-18", json!("object")), "{revision}");
        let kind = &tools[2]["outputSchema"]["type"];
        assert_eq!(*kind, since("2026-07-28", json!("array")), "{revision}");
    }
}

#[tokio::test]
async fn results_are_text_and_structured_content() {
    for (revision, mut peer) in peers().await {
        let numbers = json!({ "a": 1, "b": 2.5 });
        let result = peer.call("add", numbers.clone()).await;
        assert_eq!(
            result["content"],
            json!([{ "type": "text", "text": "3.5" }])
        );
        let result = peer.call("sum", numbers).await;
        assert_eq!(text(&result), r#"{"sum":3.5}"#);
        let structured = &result["structuredContent"];
        let sum = json!({ "sum": 3.5 });
        let expected = if revision >= "2025-06-18" {
            sum
        } else {
            Value::Null
        };
        assert_eq!(*structured, expected, "{revision}");
        let result = peer.call("list", json!({})).await;
        assert_eq!(text(&result), "[1,2]");
        let modern = revision == "2026-07-28";
        let expected = if modern { json!([1, 2]) } else { Value::Null };
        assert_eq!(result["structuredContent"], expected, "{revision}");
        assert_eq!(peer.call("nothing", json!({})).await["content"], json!([]));
    }
}

#[tokio::test]
async fn tool_errors_are_results_and_protocol_errors_are_errors() {
    for (_, mut peer) in peers().await {
        let result = peer.call("fail", json!({})).await;
        assert_eq!(result["isError"], true);
        assert_eq!(text(&result), "the disk is full");
        let result = peer.call("refuse", json!({})).await;
        assert_eq!(result["isError"], true);
        assert_eq!(text(&result), "try tomorrow");
        let error = peer
            .error("tools/call", json!({ "name": "protocol" }))
            .await;
        assert_eq!(error, (-32602, "no such thing".to_owned()));
        // The handler is not reached.
        let error = peer
            .error("tools/call", json!({ "name": "subtract", "arguments": [] }))
            .await;
        assert_eq!(error, (-32602, "unknown tool `subtract`".to_owned()));
        let (code, message) = peer
            .error("tools/call", json!({ "name": "add", "arguments": [] }))
            .await;
        assert!(
            code == -32602 && message.contains("$.arguments"),
            "{message}"
        );
        // An error of the tool's author, not of the peer.
        let (code, message) = peer.error("tools/call", json!({ "name": "liar" })).await;
        assert!(code == -32603 && message.contains("liar"), "{message}");
    }
}

#[tokio::test]
async fn invalid_arguments_are_named_in_the_error() {
    for (revision, mut peer) in peers().await {
        for (tool, arguments, part) in [
            ("add", json!({ "a": "secret", "b": 1 }), "$.a"),
            ("add", json!({ "a": 1 }), "`b`"),
            ("nothing", json!({ "x": 1 }), "x"),
            ("raw", json!({ "list": [1, "secret"] }), "$.list[1]"),
            ("seven", json!({ "pair": [7] }), "$.pair[0]"),
        ] {
            let params = json!({ "name": tool, "arguments": arguments });
            let message = if revision >= "2025-11-25" {
                let result = peer.result("tools/call", params).await;
                assert_eq!(result["isError"], true);
                text(&result).to_owned()
            } else {
                let (code, message) = peer.error("tools/call", params).await;
                assert_eq!(code, -32602);
                message
            };
            assert!(
                message.contains(part) && message.contains(tool),
                "{revision}: {message}"
            );
            assert!(!message.contains("secret"), "{message}");
        }
        assert_eq!(
            text(&peer.call("seven", json!({ "pair": ["x"] })).await),
            "fits"
        );
    }
}

#[tokio::test]
async fn content_unknown_to_a_revision_becomes_text() {
    for (revision, mut peer) in peers().await {
        let result = peer.call("mixed", json!({})).await;
        let content = result["content"].as_array().unwrap();
        let kinds: Vec<_> = content
            .iter()
            .map(|block| block["type"].as_str().unwrap())
            .collect();
        let expected = match revision {
            "2024-11-05" => ["text", "image", "text", "text", "resource"],
            "2025-03-26" => ["text", "image", "audio", "text", "resource"],
            _ => ["text", "image", "audio", "resource_link", "resource"],
        };
        assert_eq!(kinds, expected, "{revision}");
        if revision == "2024-11-05" {
            assert_eq!(content[2]["text"], "[audio: audio/wav]");
        }
        if revision < "2025-06-18" {
            assert_eq!(content[3]["text"], "[resource: one <x:1>] first");
        }
    }
}

#[tokio::test]
async fn structured_failure_is_text_for_the_model_and_data_for_programs() {
    let missing = async || -> Result<Json<Vec<u8>>, HandlerError> {
        let step = "call `list` to see the ids";
        Err(HandlerError::tool_error(
            "no_such_note",
            "no note has the id 7",
            step,
        ))
    };
    let server = Server::builder("test", "1")
        .tool("read", "", missing)
        .prompt("read", "", async || -> Result<String, HandlerError> {
            Err(HandlerError::tool_error("a", "b", "c"))
        })
        .build()
        .unwrap();
    let old = Peer::legacy(&server, "2024-11-05").await;
    for mut peer in [Peer::modern(&server), old] {
        let result = peer.call("read", json!({})).await;
        assert_eq!(result["isError"], true);
        let text = "no note has the id 7\nNext step: call `list` to see the ids\n\
                    Error code: no_such_note";
        assert_eq!(result["content"], json!([{ "type": "text", "text": text }]));
        // Structured content would have to fit the output schema of the tool.
        assert!(result["structuredContent"].is_null(), "{result}");
        let expected = json!({
            "code": "no_such_note",
            "message": "no note has the id 7",
            "nextStep": "call `list` to see the ids",
        });
        assert_eq!(result["_meta"]["mcp-server/error"], expected);
        let error = peer.error("prompts/get", json!({ "name": "read" })).await;
        assert_eq!(error, (-32603, "b\nNext step: c\nError code: a".to_owned()));
    }
}
