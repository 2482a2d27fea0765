//! A comment in a stream of events.

use mcp_types::sse::write_comment;

/// Returns a comment, which keeps proxies from closing a silent connection.
pub(crate) fn comment() -> Vec<u8> {
    let mut text = Vec::new();
    write_comment(&mut text, "");
    text.push(b'\n');
    text
}
