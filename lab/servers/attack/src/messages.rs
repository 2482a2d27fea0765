//! Messages of the protocol as text.

/// The newest revision, without sessions.
pub(crate) const MODERN: &str = "2026-07-28";
/// The newest revision with sessions.
pub(crate) const LEGACY: &str = "2025-11-25";
/// The revision that has batches.
pub(crate) const BATCHES: &str = "2025-03-26";

/// Bytes of a message that is nearly as large as servers accept by default.
pub(crate) const LARGE: usize = (4 << 20) - (4 << 10);

/// The notification that ends the handshake.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The members of `_meta` that each request of the newest revision needs.
pub(crate) fn meta() -> String {
    format!(
        r#""io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"attack","version":"1"}}"#
    )
}

/// A request. `id` and `params` are JSON.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Returns a request of the newest revision. `members` are those of `params` in addition to
/// `_meta`.
pub(crate) fn modern(id: &str, method: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    let params = format!(r#"{{{members}{comma}"_meta":{{{}}}}}"#, meta());
    request(id, method, &params)
}

/// Returns the headers that repeat parts of a request of the newest revision.
pub(crate) fn modern_headers(method: &str, name: Option<&str>) -> String {
    let mut headers = format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n");
    if let Some(name) = name {
        headers.push_str("Mcp-Name: ");
        headers.push_str(name);
        headers.push_str("\r\n");
    }
    headers
}

/// The headers of a request in a session.
pub(crate) fn session_headers(revision: &str, session: Option<&str>) -> String {
    let mut headers = format!("MCP-Protocol-Version: {revision}\r\n");
    if let Some(session) = session {
        headers.push_str("Mcp-Session-Id: ");
        headers.push_str(session);
        headers.push_str("\r\n");
    }
    headers
}

/// The members of `tools/call`. `arguments` are JSON.
pub(crate) fn call(tool: &str, arguments: &str) -> String {
    format!(r#""name":"{tool}","arguments":{arguments}"#)
}

/// A handshake. `capabilities` and `info` are JSON; `more` are members of `params`, each with a
/// comma in front.
pub(crate) fn initialize(revision: &str, capabilities: &str, info: &str, more: &str) -> String {
    let params = format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{info}{more}}}"#
    );
    request("0", "initialize", &params)
}

/// The handshake of an ordinary client.
pub(crate) fn plain_initialize(revision: &str) -> String {
    initialize(revision, "{}", INFO, "")
}

/// The `clientInfo` of an ordinary client.
pub(crate) const INFO: &str = r#"{"name":"client","version":"1"}"#;

/// An array of about `bytes` bytes in which one small value is repeated.
pub(crate) fn array(value: &str, bytes: usize) -> String {
    let count = (bytes / (value.len() + 1)).max(1);
    let mut text = String::with_capacity(bytes + 8);
    text.push('[');
    for at in 0..count {
        if at > 0 {
            text.push(',');
        }
        text.push_str(value);
    }
    text.push(']');
    text
}

/// Returns an object of about `bytes` bytes. `member` writes the member with this index.
pub(crate) fn object(bytes: usize, member: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 64);
    text.push('{');
    let mut at = 0;
    while text.len() < bytes {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&member(at));
        at += 1;
    }
    text.push('}');
    text
}
