//! Rewrites results that a client's revision cannot express.

use mcp_types::json::{Object, Value};
use mcp_types::{CallToolResult, ContentBlock, GetPromptResult, Revision, TextContent, Tool, json};

use crate::features::resources::catalog::ResourceCatalog;
use crate::protocol::core::Context;

/// Rewrites a tool's result for the client's revision, without what the client must not see.
pub(crate) fn tool_result(
    mut result: CallToolResult,
    cx: &Context,
    resources: &ResourceCatalog,
) -> CallToolResult {
    if cx.revision() < Revision::V2026_07_28 {
        // Before this revision it had to be an object. The text content is equivalent.
        result.structured_content = result
            .structured_content
            .filter(|value| value.as_object().is_some());
    }
    for block in &mut result.content {
        content(block, cx, resources);
    }
    result
}

/// Rewrites a prompt for the client's revision, without what the client must not see.
pub(crate) fn prompt(
    mut result: GetPromptResult,
    cx: &Context,
    resources: &ResourceCatalog,
) -> GetPromptResult {
    for message in &mut result.messages {
        content(&mut message.content, cx, resources);
    }
    result
}

/// Audio exists since 2025-03-26, links to resources since 2025-06-18.
fn content(
    block: &mut ContentBlock,
    cx: &Context,
    #[cfg_attr(
        not(feature = "_proposals"),
        expect(unused_variables, reason = "proposals add members to links")
    )]
    resources: &ResourceCatalog,
) {
    let revision = cx.revision();
    let (text, annotations) = match block {
        ContentBlock::Audio(audio) if revision < Revision::V2025_03_26 => {
            let text = format!("[audio: {}]", audio.mime_type);
            (text, audio.annotations.take())
        }
        ContentBlock::ResourceLink(link) if revision < Revision::V2025_06_18 => {
            let mut text = format!("[resource: {} <{}>", link.name, link.uri);
            if let Some(mime_type) = &link.mime_type {
                text.push_str(&format!(", {mime_type}"));
            }
            text.push(']');
            if let Some(description) = &link.description {
                text.push_str(&format!(" {description}"));
            }
            (text, link.annotations.take())
        }
        #[cfg(feature = "_proposals")]
        block => return crate::features::resources::blocks::finish_block(block, cx, resources),
        #[cfg(not(feature = "_proposals"))]
        _ => return,
    };
    let mut text = TextContent::new(text);
    text.annotations = annotations;
    *block = text.into();
}

/// Rewrites a tool for a revision: up to 2025-11-25 the schemas of properties and the results had
/// to be objects.
pub(crate) fn tool(mut tool: Tool, revision: Revision) -> Tool {
    if revision >= Revision::V2026_07_28 {
        return tool;
    }
    tool.output_schema = tool.output_schema.and_then(|output| {
        let mut schema = json::to_value(&output).ok()?.as_object()?.clone();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return None;
        }
        plain_properties(&mut schema);
        json::from_object(schema).ok()
    });
    let mut extra: Object = std::mem::take(&mut tool.input_schema.extra).into();
    plain_properties(&mut extra);
    tool.input_schema.extra = extra.into();
    tool
}

/// Replaces the schemas `true` and `false` by equivalent objects.
fn plain_properties(schema: &mut Object) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (_, property) in properties.iter_mut() {
        match property {
            Value::Bool(true) => *property = Object::new().into(),
            Value::Bool(false) => {
                *property = Object::from([("not", Value::from(Object::new()))]).into()
            }
            _ => {}
        }
    }
}
