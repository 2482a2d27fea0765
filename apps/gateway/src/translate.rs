//! Results of an upstream in the form of the client's revision.

use mcp_server::types::json::{self, Map};
use mcp_server::types::revision::Versioned;
use mcp_server::types::{
    CallToolResult, CompleteResult, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, ReadResourceResult,
    Revision,
};
use serde_json::value::RawValue;

/// Translates the result of a method. A result of the same revision stays as it is. One that the
/// types cannot express, for example because it has a kind of content that no revision defines,
/// stays as it is, too, apart from the members that the client's revision requires.
pub(crate) fn result(
    method: &str,
    from: Revision,
    to: Revision,
    text: Box<RawValue>,
) -> Box<RawValue> {
    if from == to {
        return text;
    }
    let translated = match method {
        "tools/list" => typed::<ListToolsResult>(from, to, &text),
        "tools/call" => typed::<CallToolResult>(from, to, &text),
        "prompts/list" => typed::<ListPromptsResult>(from, to, &text),
        "prompts/get" => typed::<GetPromptResult>(from, to, &text),
        "resources/list" => typed::<ListResourcesResult>(from, to, &text),
        "resources/templates/list" => typed::<ListResourceTemplatesResult>(from, to, &text),
        "resources/read" => typed::<ReadResourceResult>(from, to, &text),
        "completion/complete" => typed::<CompleteResult>(from, to, &text),
        _ => None,
    };
    translated.unwrap_or_else(|| required_members(method, to, text))
}

fn typed<T: Versioned>(from: Revision, to: Revision, text: &RawValue) -> Option<Box<RawValue>> {
    let translated = from
        .decode::<T>(text.get())
        .and_then(|result| to.encode(result));
    translated
        .inspect_err(|error| tracing::debug!(%error, "a result is passed on without translation"))
        .ok()
}

/// Adds what the client's revision requires of a result.
fn required_members(method: &str, to: Revision, text: Box<RawValue>) -> Box<RawValue> {
    let complete = || -> Option<Box<RawValue>> {
        let mut members: Map<Box<RawValue>> = json::from_str(text.get()).ok()?;
        let mut add = |name: &str, value: &str| {
            if !members.contains_key(name)
                && let Ok(value) = RawValue::from_string(value.to_owned())
            {
                members.insert(name, value);
            }
        };
        add("resultType", "\"complete\"");
        if method.ends_with("/list") || method == "resources/read" {
            add("ttlMs", "0");
            add("cacheScope", "\"private\"");
        }
        json::to_raw(&members).ok()
    };
    let added = to.is_modern().then(complete).flatten();
    added.unwrap_or(text)
}
