//! Peers on a pair of byte streams and over HTTP.

use std::net::SocketAddr;

use mcp_server::Server;
use serde_json::{Value, json};

use crate::support::peer::Peer;
use crate::support::raw::Raw;

/// Sends messages, and waits until all of them are answered.
pub(crate) async fn exchange(server: Server, messages: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    exchange_lines(server, &lines).await
}

/// Sends lines unchanged, and waits until all of them are answered.
pub(crate) async fn exchange_lines(server: Server, messages: &[String]) -> Vec<Value> {
    let mut peer = Peer::raw(&server);
    for message in messages {
        peer.send(message).await;
    }
    let (answers, ended) = peer.end().await;
    ended.expect("served to the end");
    answers
}

pub(crate) fn modern(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "tracer", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Returns the complete response to a POST. Its headers are given as lines after the request line.
pub(crate) async fn post(address: SocketAddr, head: &str, body: &str) -> String {
    let request = format!(
        "POST / HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{head}\r\n{body}",
        body.len(),
    );
    let mut connection = Raw::connect(address).await;
    connection.write(request.as_bytes()).await;
    while connection.more().await {}
    String::from_utf8(connection.unused().to_vec()).expect("UTF-8")
}
