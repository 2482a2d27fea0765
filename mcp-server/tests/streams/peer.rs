//! A peer of a server whose tools wait at gates.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use mcp_server::{ByteStream, Limits, Server};
use serde_json::{Value, json};

use crate::support::peer::Peer;
pub(crate) use crate::support::peer::text;
use crate::support::tools::{self, Gates};

pub(crate) struct GatedPeer {
    pub(crate) peer: Peer,
    pub(crate) gates: Gates,
    pub(crate) server: Server,
}

impl Deref for GatedPeer {
    type Target = Peer;

    fn deref(&self) -> &Peer {
        &self.peer
    }
}

impl DerefMut for GatedPeer {
    fn deref_mut(&mut self) -> &mut Peer {
        &mut self.peer
    }
}

impl GatedPeer {
    /// Uses a long grace time, so that work that does not end by itself fails the test.
    pub(crate) fn new() -> Self {
        let mut limits = Limits::default();
        limits.grace_time = Duration::from_secs(3600);
        Self::with(limits)
    }

    /// A peer of a server with these limits, over a stream in memory.
    pub(crate) fn with(limits: Limits) -> Self {
        let gates = Gates::default();
        let server = tools::server(limits, &gates);
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(theirs);
        Self {
            peer: Peer::on(ours, &server, ByteStream::new(reader, writer)),
            gates,
            server,
        }
    }

    /// Sends a modern tool call.
    pub(crate) async fn send_call(&mut self, id: impl Into<Value>, tool: &str, text: &str) {
        self.send(call(id, tool, text)).await;
    }

    /// Closes the input and checks that no more messages arrive.
    pub(crate) async fn assert_no_more(self) {
        self.peer.assert_no_more().await;
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

pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error in {answer}"))
}
