//! [`tool`]: tools with schemas that deviate from every revision.

use mcp_internal::peer_text::PeerText;
use mcp_types::json::{self, Map};
use serde_json::value::RawValue;

/// Repairs a tool until `is_valid` accepts it: members that are `null` are removed, an
/// `inputSchema` without a `type` is that of an object, and its `properties` are an object if they
/// are an empty list, which is how some languages write an empty object. An invalid `outputSchema`
/// is removed: the tool can still be called, and its results are not checked.
pub(super) fn tool(raw: &RawValue, is_valid: impl Fn(&RawValue) -> bool) -> Option<Box<RawValue>> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(raw.get()).ok()?;
    members.retain(|_, value| value.get() != "null");
    let schema = members
        .get("inputSchema")
        .map_or("{}", |schema| schema.get());
    let mut schema: Map<Box<RawValue>> = serde_json::from_str(schema).ok()?;
    if !schema.contains_key("type") {
        schema.insert("type", json::to_raw("object").ok()?);
    }
    let properties = schema.get("properties").map(|properties| properties.get());
    if properties.is_some_and(|text| text == "null" || is_empty_list(text)) {
        schema.remove("properties");
    }
    members.insert("inputSchema", json::to_raw(&schema).ok()?);
    let name = members.get("name").map_or("", |name| name.get()).to_owned();
    let repaired = json::to_raw(&members).ok()?;
    if is_valid(&repaired) {
        tracing::warn!(tool = %PeerText(&name), "the input schema of a tool was repaired");
        return Some(repaired);
    }
    members.remove("outputSchema")?;
    let repaired = json::to_raw(&members).ok()?;
    is_valid(&repaired).then(|| {
        tracing::warn!(tool = %PeerText(&name), "the invalid output schema of a tool is ignored");
        repaired
    })
}

fn is_empty_list(text: &str) -> bool {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}
