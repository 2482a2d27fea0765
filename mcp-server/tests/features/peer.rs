//! A client that writes and reads lines of JSON, on a pair of byte streams.

use mcp_server::types::Revision;
use mcp_server::{ByteStream, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::{Duration, timeout};

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The server's end of the stream.
type Served = ByteStream<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

pub(crate) struct Peer {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    /// The revision in `_meta` of each request; `None` in a session.
    stated: Option<String>,
    next: u64,
}

impl Peer {
    /// Creates a peer of 2026-07-28.
    pub(crate) fn modern(server: &Server) -> Self {
        Self::over(server, |stream| stream)
    }

    /// Creates a peer of any revision, after the handshake if there is one.
    #[allow(
        dead_code,
        reason = "not every test binary has peers of several revisions"
    )]
    pub(crate) async fn of(server: &Server, revision: Revision) -> Self {
        if revision.is_modern() {
            let stated = Some(revision.as_str().to_owned());
            return Self {
                stated,
                ..Self::modern(server)
            };
        }
        Self::legacy(server, revision.as_str()).await
    }

    /// Creates a peer whose requests are sent unchanged.
    pub(crate) fn raw(server: &Server) -> Self {
        Self {
            stated: None,
            ..Self::over(server, |stream| stream)
        }
    }

    /// Creates a peer of 2026-07-28 over a stream that `change` modifies.
    pub(crate) fn over(server: &Server, change: impl FnOnce(Served) -> Served) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let stream = change(ByteStream::of(theirs));
        let server = server.clone();
        tokio::spawn(async move { server.serve(stream).await });
        let (reader, writer) = tokio::io::split(ours);
        Self {
            reader: BufReader::new(reader),
            writer,
            stated: Some("2026-07-28".to_owned()),
            next: 0,
        }
    }

    /// Creates a peer of an older revision, after the handshake.
    pub(crate) async fn legacy(server: &Server, revision: &str) -> Self {
        let mut peer = Self::raw(server);
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = peer.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        peer.send(&done).await;
        peer
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    /// Receives the text of the next message.
    pub(crate) async fn receive_text(&mut self) -> String {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line);
        timeout(TIMEOUT, read).await.expect("no message").unwrap();
        line
    }

    /// Receives the next message.
    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.receive_text().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request without waiting, and returns its id.
    pub(crate) async fn start(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(revision) = &self.stated
            && params["_meta"].is_null()
        {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.next;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request).await;
        id
    }

    /// Returns the complete response to a request.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Returns the result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Returns the code and message of the error response to a request.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.request(method, params).await;
        let error = &answer["error"];
        let message = error["message"].as_str();
        let message = message.unwrap_or_else(|| panic!("no error: {answer}"));
        (error["code"].as_i64().unwrap(), message.to_owned())
    }

    /// Calls a tool.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        self.result("tools/call", params).await
    }
}
