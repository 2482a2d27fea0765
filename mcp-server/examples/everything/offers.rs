//! Resources, templates, prompts and completions.

use mcp_server::types::{ContentBlock, Role};
use mcp_server::{Completing, ResourceDef, ServerBuilder, TemplateDef};
use schemars::JsonSchema;
use serde::Deserialize;

use super::tools::{picture, resource, text};

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
        .complete_prompt("test_prompt_with_arguments", "arg1", complete_city)
        .complete_resource(TEMPLATE, "id", complete_id)
}

async fn complete_city(typing: Completing) -> Vec<&'static str> {
    starting_with(&typing.value, &["paris", "park", "party"])
}

async fn complete_id(typing: Completing) -> Vec<&'static str> {
    starting_with(&typing.value, &["1", "12", "123"])
}

fn starting_with(typed: &str, values: &[&'static str]) -> Vec<&'static str> {
    let values = values.iter().copied();
    values.filter(|value| value.starts_with(typed)).collect()
}

fn resources(builder: ServerBuilder) -> ServerBuilder {
    let picture = picture().data.decode().unwrap_or_default();
    let text = "This is the content of the static text resource.";
    let text = ResourceDef::text("test://static-text", "static-text", text)
        .title("Static Text Resource")
        .description("Text that never changes")
        .mime_type("text/plain");
    let picture = ResourceDef::bytes("test://static-binary", "static-binary", picture)
        .title("Static Binary Resource")
        .description("A picture of one pixel")
        .mime_type("image/png");
    let watched = ResourceDef::text(WATCHED, "watched-resource", "Watched resource content")
        .title("Watched Resource")
        .description("Its updates are announced")
        .mime_type("text/plain");
    let template = TemplateDef::new(TEMPLATE, "template")
        .title("Resource Template")
        .description("Data of an id")
        .mime_type("application/json")
        .handler(data);
    builder
        .add_resource(text)
        .add_resource(picture)
        .add_resource(watched)
        .add_resource_template(template)
}

#[derive(Deserialize)]
struct Variables {
    id: String,
}

async fn data(Variables { id }: Variables) -> String {
    let data = format!("Data for ID: {id}");
    serde_json::json!({"id": id, "templateTest": true, "data": data}).to_string()
}

fn prompts(builder: ServerBuilder) -> ServerBuilder {
    builder
        .prompt("test_simple_prompt", "A prompt without arguments", simple)
        .prompt(
            "test_prompt_with_arguments",
            "A prompt with two",
            two_arguments,
        )
        .prompt(
            "test_prompt_with_embedded_resource",
            "A prompt with a resource in it",
            embedded,
        )
        .prompt(
            "test_prompt_with_image",
            "A prompt with a picture",
            with_picture,
        )
}

async fn simple() -> &'static str {
    "This is a simple prompt for testing."
}

async fn two_arguments(Two { arg1, arg2 }: Two) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

async fn embedded(args: Embedded) -> Vec<(Role, ContentBlock)> {
    let content = "Embedded resource content for testing.";
    let question = text("Please process the embedded resource above.");
    vec![
        (Role::User, resource(&args.uri, "text/plain", content)),
        (Role::User, question),
    ]
}

async fn with_picture() -> Vec<(Role, ContentBlock)> {
    vec![
        (Role::User, picture().into()),
        (Role::User, text("Please analyze the image above.")),
    ]
}
