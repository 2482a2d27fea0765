//! Peers on a pair of byte streams and over HTTP.

use std::net::SocketAddr;

use mcp_server::{ByteStream, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex, split};
use tokio::net::TcpStream;

/// Sends messages, and waits until all of them are answered.
pub(crate) async fn exchange(server: Server, messages: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    exchange_lines(server, &lines).await
}

/// Sends lines unchanged, and waits until all of them are answered.
pub(crate) async fn exchange_lines(server: Server, messages: &[String]) -> Vec<Value> {
    let (ours, theirs) = duplex(1 << 16);
    let serving = tokio::spawn(async move {
        let (reader, writer) = split(theirs);
        server.serve(ByteStream::new(reader, writer)).await
    });
    let (reader, mut writer) = split(ours);
    for message in messages {
        let line = format!("{message}\n");
        writer.write_all(line.as_bytes()).await.expect("written");
    }
    writer.shutdown().await.expect("shut down");
    let mut lines = BufReader::new(reader).lines();
    let mut answers = Vec::new();
    while let Some(line) = lines.next_line().await.expect("readable") {
        answers.push(serde_json::from_str(&line).expect("JSON"));
    }
    serving.await.expect("no panic").expect("served to the end");
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
    let mut socket = TcpStream::connect(address).await.expect("connected");
    let request = format!(
        "POST / HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{head}\r\n{body}",
        body.len(),
    );
    socket.write_all(request.as_bytes()).await.expect("written");
    let mut response = String::new();
    let read = socket.read_to_string(&mut response);
    read.await.expect("readable");
    response
}
