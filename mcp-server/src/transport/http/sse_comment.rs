//! Comments in a stream of events.

use mcp_types::sse::write_comment;

/// Encodes a comment, which keeps proxies from closing an idle connection.
pub(crate) fn comment() -> Vec<u8> {
    let mut text = Vec::new();
    write_comment(&mut text, "");
    text.push(b'\n');
    text
}
