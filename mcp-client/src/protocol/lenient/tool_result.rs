//! [`repair`]: results of tools that contain something that cannot be read.

use mcp_types::json::{self, Map};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::VersionError;
use mcp_types::{CallToolRequest, CallToolResult, Request, Revision};
use serde_json::value::RawValue;

use super::decorations::{inside_part, read_trimmed};
use super::forms::forms;

/// The member of `_meta` that marks a replaced content.
const REPLACED: &str = "mcp-client/unreadable";

/// Replaces each content that cannot be read, also not without its decoration, by a text that
/// contains its JSON, so that the others are not lost with it. A missing `content` is empty. A result that is no object becomes such a
/// text.
///
/// `None` if the result is of another type, or if nothing was replaced.
#[cold]
pub(super) fn repair(revision: Revision, text: &str) -> Option<String> {
    let parsed: Result<Map<Box<RawValue>>, _> = serde_json::from_str(text);
    let mut members = parsed.unwrap_or_default();
    if !text.trim_ascii_start().starts_with('{') {
        members.insert("content", RawValue::from_string(text.to_owned()).ok()?);
    }
    let kind = members.get("resultType").map(|kind| kind.get());
    if kind.is_some_and(|kind| kind != r#""complete""#) {
        return None;
    }
    let content = members.remove("content");
    let blocks = content.map_or_else(Vec::new, |content| {
        serde_json::from_str(content.get()).unwrap_or_else(|_| vec![content])
    });
    let mut readable = Vec::with_capacity(blocks.len());
    for block in blocks {
        if check(revision, &block).is_ok() {
            readable.push(block);
            continue;
        }
        let trimmed = read_trimmed(block.get(), |text| {
            let block: Box<RawValue> = serde_json::from_str(text)?;
            check(revision, &block).map(|()| block)
        });
        readable.push(if let Some((block, _)) = trimmed {
            block
        } else {
            let excerpt = PeerText(block.get());
            tracing::warn!(%excerpt, "a content of the result of a tool cannot be read");
            replacement(&block)?
        });
    }
    members.insert("content", json::to_raw(&readable).ok()?);
    json::to_string(&members).ok()
}

/// Fails if a content cannot be read in the form of any revision that the result may have.
fn check(revision: Revision, block: &RawValue) -> Result<(), VersionError> {
    let result = format!(r#"{{"content":[{block}]}}"#);
    let mut found = Ok(());
    for (form, text) in forms(revision, CallToolRequest::METHOD, &result) {
        match form.decode::<CallToolResult>(&text) {
            Ok(_) => return Ok(()),
            Err(error) => found = found.and(Err(inside_part(error, 2))),
        }
    }
    found
}

/// Returns a text with the JSON of a content, or with the string that it is.
fn replacement(block: &RawValue) -> Option<Box<RawValue>> {
    let string = serde_json::from_str::<String>(block.get());
    let text = string.unwrap_or_else(|_| block.get().to_owned());
    let text = serde_json::to_string(&text).ok()?;
    let block = format!(r#"{{"type":"text","text":{text},"_meta":{{"{REPLACED}":true}}}}"#);
    RawValue::from_string(block).ok()
}
