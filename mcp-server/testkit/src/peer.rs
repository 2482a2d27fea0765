//! A client that writes and reads lines of JSON, on a pair of byte streams.

use std::fmt::Display;
use std::time::Duration;

use mcp_server::{ByteStream, ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, Lines,
    ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits for a future, with a timeout.
pub async fn soon<F: IntoFuture>(future: F) -> F::Output {
    let done = tokio::time::timeout(TIMEOUT, future.into_future()).await;
    done.expect("timed out")
}

/// The server's end of a stream in memory.
type Served = ByteStream<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A client that sends and receives lines of JSON.
pub struct Peer {
    lines: Lines<BufReader<Reader>>,
    writer: Writer,
    /// How serving ends.
    pub serving: JoinHandle<Result<(), ServeError>>,
    /// The revision in `_meta` of each request; `None` in a session.
    stated: Option<String>,
    /// The capabilities that it declares.
    pub capabilities: Value,
    /// The capabilities that the server announced in the handshake.
    pub announced: Value,
    next: u64,
}

impl Peer {
    /// Creates a peer of 2026-07-28.
    pub fn modern(server: &Server) -> Self {
        Self::over(server, |stream| stream)
    }

    /// Creates a peer whose requests are sent unchanged.
    pub fn raw(server: &Server) -> Self {
        Self {
            stated: None,
            ..Self::modern(server)
        }
    }

    /// Creates a peer whose requests are sent unchanged, over a stream that `change` modifies.
    pub fn raw_over(server: &Server, change: impl FnOnce(Served) -> Served) -> Self {
        Self {
            stated: None,
            ..Self::over(server, change)
        }
    }

    /// Creates a peer of an older revision, after the handshake.
    pub async fn legacy(server: &Server, revision: &str) -> Self {
        let mut peer = Self::raw(server);
        peer.handshake(revision).await;
        peer
    }

    /// Creates a peer of 2026-07-28 over a stream that `change` modifies.
    pub fn over(server: &Server, change: impl FnOnce(Served) -> Served) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        Self::on(ours, server, change(ByteStream::of(theirs)))
    }

    /// Creates a peer of 2026-07-28 on one end of a stream, and serves the other end.
    pub fn on<R, W>(
        ours: impl AsyncRead + AsyncWrite + Send + 'static,
        server: &Server,
        theirs: ByteStream<R, W>,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let server = server.clone();
        let serving = tokio::spawn(async move { server.serve(theirs).await });
        let (reader, writer) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(Box::new(reader) as Reader).lines(),
            writer: Box::new(writer),
            serving,
            stated: Some("2026-07-28".to_owned()),
            capabilities: json!({}),
            announced: Value::Null,
            next: 0,
        }
    }

    /// Performs the handshake of an older revision.
    pub async fn handshake(&mut self, revision: &str) {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": self.capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        self.send(json!({
            "jsonrpc": "2.0", "id": "handshake", "method": "initialize", "params": params,
        }))
        .await;
        let mut answer = self.receive().await;
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        self.announced = answer["result"]["capabilities"].take();
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send(done).await;
    }

    /// Sends bytes.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let written = soon(self.writer.write_all(bytes.as_ref())).await;
        written.expect("written");
    }

    /// Sends a line.
    pub async fn send(&mut self, message: impl Display) {
        self.write(format!("{message}\n")).await;
    }

    /// Closes the input.
    pub async fn close_input(&mut self) {
        soon(self.writer.shutdown()).await.expect("shut down");
    }

    /// Receives the text of the next message. Returns `None` at the end.
    async fn line(&mut self) -> Option<String> {
        soon(self.lines.next_line()).await.expect("readable")
    }

    /// Receives the text of the next message.
    pub async fn receive_text(&mut self) -> String {
        self.line().await.expect("a message, not the end")
    }

    /// Receives the next message.
    pub async fn receive(&mut self) -> Value {
        self.maybe_receive().await.expect("a message, not the end")
    }

    /// Receives the next message. Returns `None` at the end.
    pub async fn maybe_receive(&mut self) -> Option<Value> {
        let line = self.line().await?;
        let message = serde_json::from_str(&line);
        Some(message.unwrap_or_else(|error| panic!("{error}: {line:?}")))
    }

    /// Closes both directions.
    pub fn disconnect(self) -> JoinHandle<Result<(), ServeError>> {
        self.serving
    }

    /// Closes the input. Returns the remaining messages, and how serving ended.
    pub async fn end(&mut self) -> (Vec<Value>, Result<(), ServeError>) {
        self.close_input().await;
        let mut rest = Vec::new();
        while let Some(message) = self.maybe_receive().await {
            rest.push(message);
        }
        (rest, soon(&mut self.serving).await.expect("no panic"))
    }

    /// Closes the input and checks that no more messages arrive.
    pub async fn assert_no_more(mut self) {
        let (rest, serving) = self.end().await;
        assert_eq!(rest, Vec::<Value>::new());
        serving.expect("served to the end");
    }

    /// Sends a request without waiting, and returns its id.
    pub async fn start(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(revision) = &self.stated
            && params["_meta"].is_null()
        {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
        }
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// Returns the complete response to a request.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Returns the complete response to a request, which must be the next message.
    pub async fn request_alone(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Returns the result of a request.
    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Returns the code and message of the error response to a request.
    pub async fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.request(method, params).await;
        let error = &answer["error"];
        let message = error["message"].as_str();
        let message = message.unwrap_or_else(|| panic!("no error: {answer}"));
        (error["code"].as_i64().unwrap(), message.to_owned())
    }

    /// Calls a tool.
    pub async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        self.result("tools/call", params).await
    }

    /// Calls a tool as a modern client, with answers and state if there are any.
    pub async fn call_round(&mut self, tool: &str, round: Value) -> Value {
        let mut params = json!({ "name": tool });
        for (name, value) in round.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.request_alone("tools/call", params).await
    }

    /// Calls a tool as a legacy client; the next message may be an input request.
    pub async fn begin(&mut self, id: &str, tool: &str) {
        let params = json!({ "name": tool });
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }

    /// Answers an input request of the server.
    pub async fn answer(&mut self, question: &Value, result: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
        self.send(message).await;
    }
}

/// Returns the text of a tool's result.
pub fn text(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {answer}"))
}
