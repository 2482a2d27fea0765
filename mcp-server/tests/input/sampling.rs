//! Sampling and roots: valid at each revision, and only with the declared capabilities.

use std::path::Path;

use mcp_server::types::json::Object;
use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolResult, CreateMessageRequestParams, IncludeContext,
    Role, SamplingContent, SamplingMessage, SamplingMessageContentBlock, TextContent, Tool,
    ToolChoice, ToolChoiceMode, ToolInputSchema,
};
use mcp_server::{Context, HandlerError, Params, Server};
use serde_json::{Value, json};

use super::peer::{Peer, connect, text};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

async fn tool(
    Params(params): Params<CallToolRequest>,
    cx: Context,
) -> Result<CallToolOutcome, HandlerError> {
    let text = if params.name == "roots" {
        let roots = cx.roots().key("q").await?;
        let uris: Vec<_> = roots.iter().map(|root| root.uri.as_str()).collect();
        uris.join(" ")
    } else {
        let prompt = SamplingMessageContentBlock::Text(TextContent::new("Say something"));
        let messages = [SamplingMessage::new(Role::User, prompt)];
        let plain = CreateMessageRequestParams::new(messages, 50).system_prompt("Be brief.");
        let asked = match &*params.name {
            "plain" => plain,
            "tools" => plain.tools([Tool::new("add", ToolInputSchema::new())]),
            "choice" => plain.tool_choice(ToolChoice::new().mode(ToolChoiceMode::Required)),
            "context" => plain.include_context(IncludeContext::ThisServer),
            "several" => {
                let block = |text| SamplingMessageContentBlock::Text(TextContent::new(text));
                let blocks = SamplingContent::Array(vec![block("one"), block("two")]);
                let messages = [SamplingMessage::new(Role::User, blocks)];
                CreateMessageRequestParams::new(messages, 50)
            }
            "no context" => plain.include_context(IncludeContext::None),
            other => return Err(HandlerError::invalid_params(format!("no tool `{other}`"))),
        };
        let said = cx.sample(asked).key("q").await?;
        let blocks = match &said.content {
            SamplingContent::Array(blocks) => blocks.len(),
            _ => 1,
        };
        format!("{} {blocks} {:?}", said.model, said.stop_reason)
    };
    Ok(CallToolResult::new([TextContent::new(text).into()]).into())
}

fn server() -> Server {
    let builder = Server::builder("input", "1").on(tool);
    builder.build().unwrap()
}

async fn peer(revision: &str, capabilities: Value) -> Peer {
    let mut peer = connect(&server());
    peer.capabilities = capabilities;
    if revision != "2026-07-28" {
        peer.handshake(revision).await;
    }
    peer
}

/// Checks that a request is valid at the revision, with the revision's schema.
fn assert_valid(request: &Value, definition: &str, revision: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let text = std::fs::read_to_string(root.join(revision).join("schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    let place = ["definitions", "$defs"].map(|place| schema.get(place).map(|_| place));
    let place = place.into_iter().flatten().next().unwrap();
    schema["$ref"] = json!(format!("#/{place}/{definition}"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(request)
        .map(|it| it.to_string())
        .collect();
    assert_eq!(faults, Vec::<String>::new(), "{revision}: {request}");
}

/// The client's response to the tool, or its error.
async fn ask(peer: &mut Peer, revision: &str, tool: &str) -> Value {
    if revision == "2026-07-28" {
        let answer = peer.call_round(tool, json!({})).await;
        let question = &answer["result"]["inputRequests"]["q"];
        return if question.is_null() {
            answer
        } else {
            question.clone()
        };
    }
    peer.begin("c", tool).await;
    peer.receive().await
}

#[tokio::test]
async fn sampling_request_is_valid_at_every_legacy_revision() {
    for revision in LEGACY {
        let mut peer = peer(revision, json!({ "sampling": {} })).await;
        let question = ask(&mut peer, revision, "plain").await;
        assert_eq!(question["method"], "sampling/createMessage");
        assert_valid(&question, "CreateMessageRequest", revision);
        let answer = json!({
            "role": "assistant", "model": "m", "stopReason": "endTurn",
            "content": { "type": "text", "text": "Hi" },
        });
        peer.answer(&question, answer).await;
        assert_eq!(
            text(&peer.receive().await),
            "m 1 Some(EndTurn)",
            "{revision}"
        );
    }
}

#[tokio::test]
async fn blocks_of_a_message_are_messages_of_their_own_before_2025_11_25() {
    for revision in LEGACY {
        let mut peer = peer(revision, json!({ "sampling": {} })).await;
        let question = ask(&mut peer, revision, "several").await;
        assert_valid(&question, "CreateMessageRequest", revision);
        let messages = question["params"]["messages"].as_array().unwrap();
        let expected = if revision < "2025-11-25" { 2 } else { 1 };
        assert_eq!(messages.len(), expected, "{question}");
    }
}

#[tokio::test]
async fn roots_request_is_valid_at_every_legacy_revision() {
    for revision in LEGACY {
        let mut peer = peer(revision, json!({ "roots": {} })).await;
        let question = ask(&mut peer, revision, "roots").await;
        assert_eq!(question["method"], "roots/list");
        assert_valid(&question, "ListRootsRequest", revision);
        let roots = json!([{ "uri": "file:///a", "name": "A" }, { "uri": "file:///b" }]);
        peer.answer(&question, json!({ "roots": roots })).await;
        assert_eq!(text(&peer.receive().await), "file:///a file:///b");
    }
}

#[tokio::test]
async fn sampling_tools_and_context_require_their_capabilities() {
    let none = || json!({ "sampling": {} });
    let tools = || json!({ "sampling": { "tools": {} } });
    let context = || json!({ "sampling": { "context": {} } });
    for revision in ["2025-11-25", "2026-07-28"] {
        let code = if revision == "2026-07-28" {
            -32021
        } else {
            -32602
        };
        for (capabilities, tool, needed) in [
            (json!({}), "plain", none()),
            (none(), "tools", tools()),
            (context(), "tools", tools()),
            (none(), "choice", tools()),
            (none(), "context", context()),
            (tools(), "context", context()),
            (json!({}), "roots", json!({ "roots": {} })),
        ] {
            let mut peer = peer(revision, capabilities).await;
            let refused = ask(&mut peer, revision, tool).await;
            assert_eq!(refused["error"]["code"], code, "{tool}: {refused}");
            assert_eq!(refused["error"]["data"]["requiredCapabilities"], needed);
        }
        for (capabilities, tool, member, value) in [
            (
                tools(),
                "tools",
                "tools",
                json!([{ "name": "add", "inputSchema": { "type": "object" } }]),
            ),
            (
                tools(),
                "choice",
                "toolChoice",
                json!({ "mode": "required" }),
            ),
            (context(), "context", "includeContext", json!("thisServer")),
            (none(), "no context", "includeContext", json!("none")),
        ] {
            let mut peer = peer(revision, capabilities).await;
            let question = ask(&mut peer, revision, tool).await;
            assert_eq!(question["params"][member], value, "{tool}: {question}");
            assert_valid(&question, "CreateMessageRequest", revision);
        }
    }
}

#[tokio::test]
async fn older_revisions_allow_context_and_no_tools_in_sampling() {
    for revision in &LEGACY[..3] {
        let declared = json!({ "sampling": { "tools": {} } });
        let mut peer = peer(revision, declared).await;
        for tool in ["tools", "choice"] {
            let refused = ask(&mut peer, revision, tool).await;
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
        }
        let question = ask(&mut peer, revision, "context").await;
        assert_eq!(question["params"]["includeContext"], "thisServer");
        assert_valid(&question, "CreateMessageRequest", revision);
    }
}

#[tokio::test]
async fn tool_use_in_sampling_works_in_both_eras() {
    let uses = json!({
        "role": "assistant", "model": "m", "stopReason": "toolUse",
        "content": [
            { "type": "tool_use", "id": "1", "name": "add", "input": { "a": 1 } },
            { "type": "text", "text": "Wait" },
        ],
    });
    let declared = json!({ "sampling": { "tools": {} } });
    let mut legacy = peer("2025-11-25", declared.clone()).await;
    let question = ask(&mut legacy, "2025-11-25", "tools").await;
    legacy.answer(&question, uses.clone()).await;
    assert_eq!(text(&legacy.receive().await), "m 2 Some(ToolUse)");

    let mut modern = peer("2026-07-28", declared).await;
    let first = modern.call_round("tools", json!({})).await;
    let state = &first["result"]["requestState"];
    let round = json!({ "inputResponses": { "q": uses }, "requestState": state });
    assert_eq!(
        text(&modern.call_round("tools", round).await),
        "m 2 Some(ToolUse)"
    );
    let faulty = json!({ "inputResponses": { "q": { "role": "assistant" } } });
    let refused = modern.call_round("tools", faulty).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[tokio::test]
async fn capabilities_of_the_current_request_apply() {
    let mut peer = peer("2026-07-28", json!({ "sampling": {} })).await;
    let asked = ask(&mut peer, "2026-07-28", "plain").await;
    assert_eq!(asked["method"], "sampling/createMessage");
    peer.capabilities = json!(Object::new());
    let refused = ask(&mut peer, "2026-07-28", "plain").await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}
