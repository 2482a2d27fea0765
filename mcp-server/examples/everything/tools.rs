//! Tools that answer by themselves: every kind of content, errors, progress, log messages.

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
        .tool(
            "test_error_handling",
            "Fails",
            async || -> Result<_, HandlerError> {
                Err::<(), _>(HandlerError::tool(
                    "This tool intentionally returns an error for testing",
                ))
            },
        )
        .tool(
            "test_structured_content",
            "Adds two numbers",
            |terms: Terms| async move {
                Json(Sum {
                    sum: terms.a + terms.b,
                })
            },
        )
        .tool(
            "test_tool_with_logging",
            "Logs while it works",
            async |cx: Context| -> Result<_, HandlerError> {
                for message in ["started", "processing data", "completed"] {
                    let message = format!(
                        "Tool {}{message}",
                        if message == "processing data" {
                            ""
                        } else {
                            "execution "
                        }
                    );
                    cx.log(LoggingLevel::Info, None, message.as_str()).await?;
                    tokio::time::sleep(STEP).await;
                }
                Ok("Tool with logging executed successfully")
            },
        )
        .tool(
            "test_logging_tool",
            "Logs one message",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.log(
                    LoggingLevel::Info,
                    None,
                    "Diagnostic trace logging activated",
                )
                .await?;
                Ok("Logging evaluated")
            },
        )
        .tool(
            "test_tool_with_progress",
            "Reports progress",
            async |cx: Context| -> Result<_, HandlerError> {
                for step in [0.0, 50.0, 100.0] {
                    let message = format!("Completed step {step} of 100");
                    cx.progress(step, 100.0, message.as_str()).await?;
                    tokio::time::sleep(STEP).await;
                }
                Ok("progress reported")
            },
        )
        .tool(
            "test_reconnection",
            "Lets go of the connection before it answers",
            |cx: Context| async move {
                cx.close_stream();
                tokio::time::sleep(2 * STEP).await;
                "Reconnection test completed successfully. If you received this, the client \
                     properly reconnected after stream closure."
            },
        )
        .tool(
            "test_trigger_tool_change",
            "Changes the list of tools",
            async |cx: Context| -> Result<_, HandlerError> {
                let dynamic = "test_dynamic_tool";
                if !cx.server().tools().remove(dynamic) {
                    let tool = ToolDef::new(dynamic)
                        .description("Comes and goes")
                        .handler(async || "here I am");
                    cx.server().tools().add(tool)?;
                }
                Ok("Mutation triggered")
            },
        )
        .tool(
            "test_trigger_prompt_change",
            "Changes the list of prompts",
            async |cx: Context| -> Result<_, HandlerError> {
                let dynamic = "test_dynamic_prompt";
                if !cx.server().prompts().remove(dynamic) {
                    let prompt = PromptDef::new(dynamic)
                        .description("Comes and goes")
                        .handler(async || "here I am");
                    cx.server().prompts().add(prompt)?;
                }
                Ok("Mutation triggered")
            },
        )
        .add_tool(header())
        .add_tool(json_schema())
}

fn content(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            "test_simple_text",
            "Answers with text",
            async || "This is a simple text response for testing.",
        )
        .tool("test_image_content", "Answers with a picture", async || {
            picture()
        })
        .tool("test_audio_content", "Answers with a sound", async || {
            AudioContent::new(Base64Text::from(WAV), "audio/wav")
        })
        .tool(
            "test_embedded_resource",
            "Answers with a resource",
            || async {
                vec![resource(
                    "test://embedded-resource",
                    "text/plain",
                    "This is an embedded resource content.",
                )]
            },
        )
        .tool(
            "test_multiple_content_types",
            "Answers with several",
            || async {
                vec![
                    text("Multiple content types test:"),
                    picture().into(),
                    resource(
                        "test://mixed-content-resource",
                        "application/json",
                        r#"{"test":"data","value":123}"#,
                    ),
                ]
            },
        )
}

/// A tool with an argument that intermediaries can read from an HTTP header.
fn header() -> ToolDef {
    let schema = r#"{"type":"object","properties":{"region":{
        "type":"string","description":"Where to work","x-mcp-header":"Region"}}}"#;
    ToolDef::new("test_custom_header")
        .description("Has an argument that is mirrored in a header")
        .input_schema(parse(schema))
        .object_handler(|arguments: json::Object| async move {
            let region = arguments
                .get("region")
                .and_then(|region| region.as_str().map(str::to_owned));
            format!("region: {}", region.unwrap_or_default())
        })
}

/// A tool whose schema uses what JSON Schema 2020-12 has beyond a list of properties.
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
        .object_handler(async |arguments| -> Result<_, HandlerError> {
            let arguments = serde_json::to_string(&arguments)?;
            Ok(format!("JSON Schema 2020-12 tool called with: {arguments}"))
        })
}

fn parse(schema: &str) -> json::Value {
    json::from_str(schema).expect("the schemas above are JSON")
}
