//! A client of the revisions with sessions.

use std::net::SocketAddr;

use crate::http::raw::*;

/// Returns a request that starts a session.
pub fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}}}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

/// Starts a session, and returns the headers of its requests.
pub async fn start_session(address: SocketAddr, revision: &str) -> Vec<(&'static str, String)> {
    let (head, body) = Raw::post(address, &media(), &initialize(revision)).await;
    assert_eq!(head.status, 200, "{body}");
    assert!(
        body.contains(&format!(r#""protocolVersion":"{revision}""#)),
        "{body}"
    );
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    assert!(
        id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_graphic()),
        "{id}"
    );
    let headers = with_header(media(), "Mcp-Session-Id", &id);
    let headers = with_header(headers, "MCP-Protocol-Version", revision);
    let received = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let (head, body) = Raw::post(address, &headers, received).await;
    assert_eq!((head.status, body.as_str()), (202, ""));
    headers
}

/// Returns a call of a tool.
pub fn tool(id: u32, name: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","_meta":{{"progressToken":"p"}}}}}}"#
    )
}

/// A request without params.
pub const PING: &str = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;

/// Sends a POST in a session, on a connection that stays open.
pub async fn start(address: SocketAddr, session: &[(&'static str, String)], body: &str) -> Raw {
    let mut raw = Raw::connect(address).await;
    raw.request("POST", session, body).await;
    raw
}

/// Opens the stream for notifications.
pub async fn listen(address: SocketAddr, session: &[(&'static str, String)]) -> Raw {
    let mut raw = Raw::connect(address).await;
    raw.request("GET", session, "").await;
    assert_eq!(raw.head().await.status, 200);
    raw
}

/// Cancels a request.
pub async fn cancel(address: SocketAddr, session: &[(&'static str, String)], id: u32) {
    let text = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    );
    let (head, body) = Raw::post(address, session, &text).await;
    assert_eq!((head.status, body.as_str()), (202, ""));
}

/// Returns the ids of the events in a text.
pub fn ids(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("id: "))
        .collect()
}
