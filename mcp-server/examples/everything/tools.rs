//! Tools that do not ask the client: every kind of content, errors, progress, log messages.

use std::time::Duration;

use mcp_server::types::{
    AudioContent, Base64Text, ContentBlock, EmbeddedResource, ImageContent, LoggingLevel,
    TextContent, TextResourceContents, json,
};
use mcp_server::{Context, HandlerError, Json, PromptDef, ServerBuilder, ToolDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound without samples.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const STEP: Duration = Duration::from_millis(50);

pub(crate) fn picture() -> ImageContent {
    ImageContent::new(Base64Text::from(PNG), "image/png")
}

pub(crate) fn resource(uri: &str, media_type: &str, text: &str) -> ContentBlock {
    EmbeddedResource::new(TextResourceContents::new(uri, text).mime_type(media_type)).into()
}

pub(crate) fn text(text: impl Into<String>) -> ContentBlock {
    TextContent::new(text).into()
}

#[derive(Deserialize, JsonSchema)]
struct Terms {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    content(builder)
        .tool("test_error_handling", "Fails", fail)
        .tool("test_structured_content", "Adds two numbers", sum)
        .tool("test_tool_with_logging", "Logs while it works", log_steps)
        .tool("test_logging_tool", "Logs one message", log_once)
        .tool(
            "test_tool_with_progress",
            "Reports progress",
            report_progress,
        )
        .tool(
            "test_reconnection",
            "Closes the stream before it answers",
            reconnect,
        )
        .tool(
            "test_trigger_tool_change",
            "Changes the list of tools",
            toggle_tool,
        )
        .tool(
            "test_trigger_prompt_change",
            "Changes the list of prompts",
            toggle_prompt,
        )
        .tool(
            "test_trigger_resource_update",
            "Announces that a resource changed",
            announce_update,
        )
        .add_tool(header())
        .add_tool(json_schema())
}

async fn fail() -> Result<(), HandlerError> {
    let message = "This tool intentionally returns an error for testing";
    Err(HandlerError::tool(message))
}

async fn sum(terms: Terms) -> Json<Sum> {
    let sum = terms.a + terms.b;
    Json(Sum { sum })
}

async fn log_steps(cx: Context) -> Result<&'static str, HandlerError> {
    let messages = [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ];
    for message in messages {
        cx.log(LoggingLevel::Info, None, message).await?;
        tokio::time::sleep(STEP).await;
    }
    Ok("Tool with logging executed successfully")
}

async fn log_once(cx: Context) -> Result<&'static str, HandlerError> {
    let message = "Diagnostic trace logging activated";
    cx.log(LoggingLevel::Info, None, message).await?;
    Ok("Logging evaluated")
}

async fn report_progress(cx: Context) -> Result<&'static str, HandlerError> {
    for step in [0.0, 50.0, 100.0] {
        let message = format!("Completed step {step} of 100");
        cx.progress(step, 100.0, message.as_str()).await?;
        tokio::time::sleep(STEP).await;
    }
    Ok("progress reported")
}

async fn reconnect(cx: Context) -> &'static str {
    cx.close_stream();
    tokio::time::sleep(2 * STEP).await;
    "Reconnection test completed successfully. If you received this, the client properly \
     reconnected after stream closure."
}

/// The text of the tool and the prompt that are added and removed.
async fn here() -> &'static str {
    "here I am"
}

async fn toggle_tool(cx: Context) -> Result<&'static str, HandlerError> {
    let server = cx.server();
    let tools = server.tools();
    let name = "test_dynamic_tool";
    if !tools.remove(name) {
        let tool = ToolDef::new(name).description("Comes and goes");
        tools.add(tool.handler(here))?;
    }
    Ok("Mutation triggered")
}

async fn toggle_prompt(cx: Context) -> Result<&'static str, HandlerError> {
    let server = cx.server();
    let prompts = server.prompts();
    let name = "test_dynamic_prompt";
    if !prompts.remove(name) {
        let prompt = PromptDef::new(name).description("Comes and goes");
        prompts.add(prompt.handler(here))?;
    }
    Ok("Mutation triggered")
}

#[derive(Deserialize, JsonSchema)]
struct Updated {
    uri: String,
}

async fn announce_update(Updated { uri }: Updated, cx: Context) -> &'static str {
    cx.server().resource_updated(uri);
    "Update announced"
}

fn content(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool("test_simple_text", "Answers with text", simple_text)
        .tool("test_image_content", "Answers with a picture", async || {
            picture()
        })
        .tool("test_audio_content", "Answers with a sound", async || {
            sound()
        })
        .tool(
            "test_embedded_resource",
            "Answers with a resource",
            embedded,
        )
        .tool("test_multiple_content_types", "Answers with several", mixed)
}

async fn simple_text() -> &'static str {
    "This is a simple text response for testing."
}

fn sound() -> AudioContent {
    AudioContent::new(Base64Text::from(WAV), "audio/wav")
}

async fn embedded() -> ContentBlock {
    let text = "This is an embedded resource content.";
    resource("test://embedded-resource", "text/plain", text)
}

async fn mixed() -> Vec<ContentBlock> {
    let data = r#"{"test":"data","value":123}"#;
    vec![
        text("Multiple content types test:"),
        picture().into(),
        resource("test://mixed-content-resource", "application/json", data),
    ]
}

/// A tool with an argument that intermediaries can read from an HTTP header.
fn header() -> ToolDef {
    let schema = r#"{"type":"object","properties":{"region":{
        "type":"string","description":"Where to work","x-mcp-header":"Region"}}}"#;
    ToolDef::new("test_custom_header")
        .description("Has an argument that is mirrored in a header")
        .input_schema(parse(schema))
        .object_handler(region)
}

async fn region(arguments: json::Object) -> String {
    let region = arguments.get("region").and_then(|region| region.as_str());
    format!("region: {}", region.unwrap_or_default())
}

/// A tool whose schema uses more of JSON Schema 2020-12 than a list of properties.
fn json_schema() -> ToolDef {
    let schema = r##"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {
            "street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"}
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false
    }"##;
    ToolDef::new("json_schema_2020_12_tool")
        .description("Has a schema with conditions and definitions")
        .input_schema(parse(schema))
        .object_handler(echo)
}

async fn echo(arguments: json::Object) -> Result<String, HandlerError> {
    let arguments = serde_json::to_string(&arguments)?;
    Ok(format!("JSON Schema 2020-12 tool called with: {arguments}"))
}

fn parse(schema: &str) -> json::Value {
    json::from_str(schema).expect("the schemas above are JSON")
}
