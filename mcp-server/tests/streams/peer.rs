//! A peer that writes and reads lines.

use std::time::Duration;

use mcp_server::{ByteStream, Limits, ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::tools::{self, Gates};

const TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Peer {
    pub(crate) gates: Gates,
    pub(crate) server: Server,
    pub(crate) serving: JoinHandle<Result<(), ServeError>>,
    pub(crate) lines: Lines<BufReader<OwnedReadHalf>>,
    pub(crate) writer: Option<OwnedWriteHalf>,
}

impl Peer {
    /// Uses a long grace time, so that work that does not end by itself fails the test.
    pub(crate) fn new() -> Self {
        let mut limits = Limits::default();
        limits.grace_time = Duration::from_secs(3600);
        Self::with(limits)
    }

    /// A peer of a server with these limits, over a Unix socket.
    pub(crate) fn with(limits: Limits) -> Self {
        let gates = Gates::default();
        let server = tools::server(limits, &gates);
        let (ours, theirs) = UnixStream::pair().expect("a socket");
        let serving = tokio::spawn({
            let server = server.clone();
            async move {
                let (reader, writer) = theirs.into_split();
                server.serve(ByteStream::new(reader, writer)).await
            }
        });
        let (reader, writer) = ours.into_split();
        Self {
            gates,
            server,
            serving,
            lines: BufReader::new(reader).lines(),
            writer: Some(writer),
        }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the input has not ended");
        writer.write_all(bytes.as_ref()).await.expect("written");
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write(format!("{message}\n")).await;
    }

    /// Sends a modern tool call.
    pub(crate) async fn call(&mut self, id: impl Into<Value>, tool: &str, text: &str) {
        self.send(call(id, tool, text)).await;
    }

    /// Receives the next message.
    pub(crate) async fn next(&mut self) -> Value {
        self.maybe_next().await.expect("a message, not the end")
    }

    /// Receives the next message. Returns `None` at the end.
    pub(crate) async fn maybe_next(&mut self) -> Option<Value> {
        let line = timeout(TIMEOUT, self.lines.next_line()).await;
        let line = line.expect("in time").expect("readable")?;
        Some(serde_json::from_str(&line).expect("JSON"))
    }

    /// Closes the input.
    pub(crate) fn close_input(&mut self) {
        self.writer = None;
    }

    /// Closes the input. Returns the remaining messages, and how serving ended.
    pub(crate) async fn end(mut self) -> (Vec<Value>, Result<(), ServeError>) {
        self.close_input();
        let mut rest = Vec::new();
        while let Some(message) = self.maybe_next().await {
            rest.push(message);
        }
        (rest, self.serving.await.expect("no panic"))
    }

    /// Closes the input and checks that no more messages arrive.
    pub(crate) async fn assert_no_more(self) {
        let (rest, serving) = self.end().await;
        assert_eq!(rest, Vec::<Value>::new());
        serving.expect("served to the end");
    }

    /// Performs the handshake of a legacy revision.
    pub(crate) async fn handshake(&mut self, revision: &str) {
        self.send(json!({
            "jsonrpc": "2.0",
            "id": "handshake",
            "method": "initialize",
            "params": {
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": {"name": "peer", "version": "1"},
            },
        }))
        .await;
        let answer = self.next().await;
        assert_eq!(answer["result"]["protocolVersion"], revision);
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
    }
}

/// Returns the `_meta` of a modern request.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "info",
    })
}

/// Returns a modern tool call.
pub(crate) fn call(id: impl Into<Value>, tool: &str, text: &str) -> Value {
    let mut call = legacy_call(id, tool, text);
    call["params"]["_meta"] = meta();
    call
}

/// Returns a tool call of a legacy peer.
pub(crate) fn legacy_call(id: impl Into<Value>, tool: &str, text: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id.into(),
        "method": "tools/call",
        "params": {"name": tool, "arguments": {"text": text}},
    })
}

pub(crate) fn cancel(id: impl Into<Value>) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": id.into()},
    })
}

/// Returns the text of a tool's result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text in {answer}"))
}

pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error in {answer}"))
}
