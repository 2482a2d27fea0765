//! Requests of the protocol and for URLs.

use std::net::SocketAddr;

use serde_json::{Value, json};

pub(crate) use crate::support::exchange::*;
pub(crate) use crate::support::soon;

/// Returns a request of the newest revision.
pub(crate) fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Sends a request of the protocol. Returns the complete response.
pub(crate) async fn call(address: SocketAddr, method: &str, params: Value) -> Value {
    call_with(address, method, params, &[]).await
}

pub(crate) async fn call_with(
    address: SocketAddr,
    method: &str,
    params: Value,
    more: &[(&str, &str)],
) -> Value {
    let name = params["name"].as_str().or(params["uri"].as_str());
    let name = name.unwrap_or_default().to_owned();
    let mut headers = vec![
        ("Host", "localhost"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    if !name.is_empty() {
        headers.push(("Mcp-Name", &name));
    }
    headers.extend_from_slice(more);
    let body = message(method, params).to_string();
    let reply = send(address, "POST", "/mcp", &headers, body).await;
    serde_json::from_slice(&reply.body).expect("JSON")
}

/// Returns the listed resource with a URI.
pub(crate) async fn listed(address: SocketAddr, uri: &str) -> Value {
    let answer = call(address, "resources/list", json!({})).await;
    find(&answer, uri)
}

pub(crate) fn find(answer: &Value, uri: &str) -> Value {
    let resources = answer["result"]["resources"].as_array();
    let mut resources = resources.expect("resources").iter();
    let found = resources.find(|resource| resource["uri"] == uri);
    found.expect("it is listed").clone()
}

/// Returns the path of the URL in the list.
pub(crate) async fn path_of(address: SocketAddr, uri: &str) -> String {
    path(&listed(address, uri).await)
}

/// Returns the path of a resource's URL.
pub(crate) fn path(resource: &Value) -> String {
    let url = resource["httpUrl"].as_str().expect("a URL");
    let path = url.strip_prefix("https://files.example.com");
    path.expect("below the base").to_owned()
}

/// Returns the path of the URL in a link to any URI.
pub(crate) async fn path_to(address: SocketAddr, uri: &str) -> String {
    path(&link_to(address, uri).await)
}

/// Returns the result of a tool that links to a URI.
pub(crate) async fn link_to(address: SocketAddr, uri: &str) -> Value {
    let params = json!({"name": "link", "arguments": {"uri": uri}});
    let answer = call(address, "tools/call", params).await;
    answer["result"]["content"][0].clone()
}
