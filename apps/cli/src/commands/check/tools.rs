//! [`tools`]: checks the tools.

use std::collections::HashSet;

use mcp_client::types::Revision;
use mcp_client::types::json::Value;
use mcp_types::registry;

use super::schemas::{Part, is_blank, schema};
use crate::wire::finding::Findings;

/// The number of tools that some hosts accept.
const TOOLS: usize = 128;

/// The number of characters of a name that APIs of models accept.
const NAME: usize = 64;

/// The number of characters of a description that APIs of models accept.
const DESCRIPTION: usize = 1024;

/// Checks the tools as the server sent them.
pub(super) fn tools(findings: &mut Findings, revision: Revision, tools: &[Value]) {
    if tools.len() > TOOLS {
        let text = format!(
            "{} tools: some hosts accept at most {TOOLS}, and models choose better among few",
            tools.len()
        );
        findings.warning("tools", text);
    }
    let mut names = HashSet::new();
    for tool in tools {
        // The message without a name was found invalid.
        let Some(name) = tool.get("name").and_then(Value::as_str) else {
            continue;
        };
        let place = format!("tool `{name}`");
        if !names.insert(name) {
            findings.error(&place, "there are two tools with this name");
        }
        one(findings, revision, name, &place, tool);
    }
}

fn one(findings: &mut Findings, revision: Revision, name: &str, place: &str, tool: &Value) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if name.is_empty() || name.len() > NAME || !name.chars().all(is_part) {
        let text = format!(
            "some hosts refuse the name: expected at most {NAME} letters, digits, `_` and `-`"
        );
        findings.warning(place, text);
    }
    let description = tool.get("description").and_then(Value::as_str);
    let length = description.unwrap_or_default().chars().count();
    if is_blank(tool.get("description")) {
        findings.warning(place, "no description: models cannot know when to use it");
    } else if length > DESCRIPTION {
        let text = format!(
            "the description has {length} characters: some hosts cut it or refuse more than \
             {DESCRIPTION}"
        );
        findings.warning(place, text);
    }
    let annotations = tool.get("annotations");
    let title = annotations.and_then(|annotations| annotations.get("title"));
    if is_blank(tool.get("title")) && is_blank(title) && revision >= Revision::V2025_03_26 {
        findings.hint(place, "no `title`: hosts show the name");
    }
    if annotations.is_none() && revision >= Revision::V2025_03_26 {
        let text = "no `annotations`: hosts assume that the tool may change or delete something";
        findings.hint(place, text);
    }
    let kind = registry::find(revision, "Tool");
    let is_valid = kind.is_some_and(|kind| kind.round_trip_value(tool.clone()).is_ok());
    if let Some(input) = tool.get("inputSchema") {
        schema(findings, place, Part::Input, input, is_valid);
    }
    if let Some(output) = tool.get("outputSchema") {
        let needs_object = is_valid && !revision.is_modern();
        schema(findings, place, Part::Output, output, needs_object);
    }
}
