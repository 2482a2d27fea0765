//! Resources, templates, prompts and completions.

use mcp_server::types::json::Map;
use mcp_server::types::{ContentBlock, Role};
use mcp_server::{Completing, PromptDef, ResourceDef, ServerBuilder, TemplateDef};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tools::{picture, resource, text};

/// The resource whose updates are announced.
pub(crate) const WATCHED: &str = "test://watched-resource";

const TEMPLATE: &str = "test://template/{id}/data";

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// First test argument
    arg1: String,
    /// Second test argument
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
struct Embedded {
    /// URI of the resource to embed
    #[serde(rename = "resourceUri")]
    uri: String,
}

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    prompts(resources(builder))
        .complete_prompt("test_prompt_with_arguments", "arg1", |typing| async move {
            begin(&["paris", "park", "party"], &typing)
        })
        .complete_resource(TEMPLATE, "id", |typing| async move {
            begin(&["1", "12", "123"], &typing)
        })
}

/// The values that begin with what was typed.
fn begin(values: &[&str], typing: &Completing) -> Vec<String> {
    let begin = values
        .iter()
        .filter(|value| value.starts_with(&typing.value));
    begin.map(|&value| value.to_owned()).collect()
}

fn resources(builder: ServerBuilder) -> ServerBuilder {
    let picture = picture().data.decode().unwrap_or_default();
    builder
        .add_resource(
            ResourceDef::text(
                "test://static-text",
                "static-text",
                "This is the content of the static text resource.",
            )
            .title("Static Text Resource")
            .description("Text that never changes")
            .mime_type("text/plain"),
        )
        .add_resource(
            ResourceDef::bytes("test://static-binary", "static-binary", picture)
                .title("Static Binary Resource")
                .description("A picture of one pixel")
                .mime_type("image/png"),
        )
        .add_resource(
            ResourceDef::text(WATCHED, "watched-resource", "Watched resource content")
                .title("Watched Resource")
                .description("Its updates are announced")
                .mime_type("text/plain"),
        )
        .add_resource_template(
            TemplateDef::new(TEMPLATE, "template")
                .title("Resource Template")
                .description("Data of an id")
                .mime_type("application/json")
                .handler(|variables: Map<String>| async move {
                    let id = variables.get("id").cloned().unwrap_or_default();
                    let data = format!("Data for ID: {id}");
                    serde_json::json!({"id": id, "templateTest": true, "data": data}).to_string()
                }),
        )
}

fn prompts(builder: ServerBuilder) -> ServerBuilder {
    builder
        .prompt(
            "test_simple_prompt",
            "A prompt without arguments",
            async || "This is a simple prompt for testing.",
        )
        .prompt(
            "test_prompt_with_arguments",
            "A prompt with two",
            |args: Two| async move {
                format!(
                    "Prompt with arguments: arg1='{}', arg2='{}'",
                    args.arg1, args.arg2
                )
            },
        )
        .add_prompt(
            PromptDef::new("test_prompt_with_embedded_resource")
                .description("A prompt with a resource in it")
                .handler(|args: Embedded| async move {
                    let content = "Embedded resource content for testing.";
                    vec![
                        (Role::User, resource(&args.uri, "text/plain", content)),
                        (
                            Role::User,
                            text("Please process the embedded resource above."),
                        ),
                    ]
                }),
        )
        .prompt(
            "test_prompt_with_image",
            "A prompt with a picture",
            || async {
                vec![
                    (Role::User, ContentBlock::from(picture())),
                    (Role::User, text("Please analyze the image above.")),
                ]
            },
        )
}
