//! [`tool`]: tools with schemas that deviate from every revision.

use mcp_types::error::{Path, Segment};
use mcp_types::json::{self, Map};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::VersionError;
use serde_json::value::RawValue;

use crate::protocol::error::DroppedMember;

const OUTPUT_SCHEMA: &str = "outputSchema";

/// A tool that became valid, and its output schema if that was left out.
pub(super) type RepairedTool = (Box<RawValue>, Option<DroppedMember>);

/// Repairs a tool until `check` accepts it: members that are `null` are removed, an `inputSchema`
/// without a `type` is that of an object, and its `properties` are an object if they are an empty
/// list, which is how some languages write an empty object. An invalid `outputSchema` is removed:
/// the tool can still be called, and its results are not checked.
pub(super) fn tool(
    raw: &RawValue,
    check: impl Fn(&RawValue) -> Result<(), VersionError>,
) -> Option<RepairedTool> {
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
    let source = match check(&repaired) {
        Ok(()) => {
            tracing::warn!(tool = %PeerText(&name), "the input schema of a tool was repaired");
            return Some((repaired, None));
        }
        Err(VersionError::Decode(source)) => source,
        Err(_) => return None,
    };
    let value = members.remove(OUTPUT_SCHEMA)?;
    let repaired = json::to_raw(&members).ok()?;
    check(&repaired).ok()?;
    tracing::warn!(tool = %PeerText(&name), "the invalid output schema of a tool is ignored");
    let path = Path::from_iter([Segment::Member(OUTPUT_SCHEMA.to_owned())]);
    let dropped = DroppedMember {
        path,
        source,
        value,
    };
    Some((repaired, Some(dropped)))
}

/// Returns a tool with schemas that are valid, to check its other members.
pub(super) fn without_schemas(raw: &RawValue) -> Option<Box<RawValue>> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(raw.get()).ok()?;
    members.remove(OUTPUT_SCHEMA);
    let schema = RawValue::from_string(r#"{"type":"object"}"#.to_owned()).ok()?;
    members.insert("inputSchema", schema);
    json::to_raw(&members).ok()
}

fn is_empty_list(text: &str) -> bool {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}
