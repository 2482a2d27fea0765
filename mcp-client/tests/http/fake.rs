//! A server that is controlled by a test at the level of bytes. It answers one request per
//! connection.

use std::net::SocketAddr;

use mcp_client::types::Revision;
use mcp_client::{CallError, Client, ClientBuilder, Http, HttpError, TransportError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

pub(crate) use crate::support::{TIMEOUT, soon, transport_error};

pub(crate) struct FakeHttp {
    pub(crate) address: SocketAddr,
    asked: mpsc::UnboundedReceiver<ReceivedRequest>,
}

/// A request and its connection.
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
    pub(crate) socket: TcpStream,
}

impl FakeHttp {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    if let Some(asked) = ReceivedRequest::read(socket).await {
                        let _ = sender.send(asked);
                    }
                });
            }
        });
        Self { address, asked }
    }

    pub(crate) fn http(&self) -> Http {
        Http::new(format!("http://{}/mcp", self.address))
    }

    pub(crate) async fn next(&mut self) -> ReceivedRequest {
        soon(self.asked.recv()).await.expect("a request")
    }

    /// Returns `true` if no other request has arrived.
    pub(crate) fn is_quiet(&self) -> bool {
        self.asked.is_empty()
    }

    /// Receives the next request, and checks its JSON-RPC method.
    pub(crate) async fn message(&mut self, method: &str) -> ReceivedRequest {
        let asked = self.next().await;
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.body["method"], method, "{}", asked.body);
        asked
    }

    /// Receives the next request, and checks its HTTP method.
    pub(crate) async fn bare(&mut self, method: &str) -> ReceivedRequest {
        let asked = self.next().await;
        assert_eq!(asked.method, method, "{}", asked.body);
        asked
    }

    /// Returns a connected client of the newest revision.
    pub(crate) async fn modern(&mut self) -> Client {
        self.modern_with(self.http(), Client::builder("test", "1"))
            .await
    }

    pub(crate) async fn modern_with(&mut self, http: Http, builder: ClientBuilder) -> Client {
        let connecting = tokio::spawn(builder.connect(http));
        self.discovered().await;
        soon(connecting)
            .await
            .expect("no panic")
            .expect("connected")
    }

    pub(crate) async fn discovered(&mut self) {
        let asked = self.message("server/discover").await;
        asked.result(&discovered()).await;
    }

    /// Returns a connected client with a session, at an older revision. The server has no stream.
    pub(crate) async fn legacy(&mut self, revision: Revision) -> Client {
        self.legacy_with(revision, Client::builder("test", "1"))
            .await
    }

    pub(crate) async fn legacy_with(
        &mut self,
        revision: Revision,
        builder: ClientBuilder,
    ) -> Client {
        let builder = builder.revision(revision);
        let connecting = tokio::spawn(builder.connect(self.http()));
        self.initialized(revision, "one").await;
        self.no_stream().await;
        let connected = soon(connecting).await.expect("no panic");
        connected.expect("connected")
    }

    /// Rejects the stream for messages of the server.
    pub(crate) async fn no_stream(&mut self) {
        let asked = self.bare("GET").await;
        asked.status("405 Method Not Allowed").await;
    }

    /// The server's side of a handshake.
    pub(crate) async fn initialized(&mut self, revision: Revision, session: &str) {
        let received = self.almost_initialized(revision, session).await;
        received.status("202 Accepted").await;
    }

    /// The same up to the notification `initialized`.
    pub(crate) async fn almost_initialized(
        &mut self,
        revision: Revision,
        session: &str,
    ) -> ReceivedRequest {
        let asked = self.message("initialize").await;
        self.agrees(asked, revision, session).await
    }

    /// Answers the handshake, and accepts the notification `initialized`.
    pub(crate) async fn agrees(
        &mut self,
        asked: ReceivedRequest,
        revision: Revision,
        session: &str,
    ) -> ReceivedRequest {
        assert_eq!(asked.header("mcp-session-id"), None);
        let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": agreed(revision)});
        let head = format!("Mcp-Session-Id: {session}\r\nContent-Type: application/json\r\n");
        asked.answer("200 OK", &head, &body.to_string()).await;
        let received = self.message("notifications/initialized").await;
        assert_eq!(received.header("mcp-session-id"), Some(session));
        received
    }
}

/// Returns a result of `server/discover`.
pub(crate) fn discovered() -> Value {
    json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "supportedVersions": Revision::modern().map(Revision::as_str).collect::<Vec<_>>(),
        "capabilities": {"tools": {}},
    })
}

/// Returns a result of the handshake.
pub(crate) fn agreed(revision: Revision) -> Value {
    json!({
        "protocolVersion": revision.as_str(),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "fake", "version": "1"},
    })
}

/// Returns a list of tools.
pub(crate) fn tools(tools: &Value) -> Value {
    json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools})
}

impl ReceivedRequest {
    async fn read(mut socket: TcpStream) -> Option<Self> {
        let mut read = Vec::new();
        let end = loop {
            if let Some(at) = read.windows(4).position(|part| part == b"\r\n\r\n") {
                break at + 4;
            }
            if socket.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8(read.get(..end)?.to_vec()).expect("ASCII");
        let mut lines = head.lines();
        let mut first = lines.next()?.split(' ');
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let size = headers.iter().find(|(name, _)| name == "content-length");
        let size = size.map_or(0, |(_, size)| size.parse().expect("a size"));
        while read.len() < end + size {
            if socket.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        }
        Some(Self {
            method: first.next()?.to_owned(),
            target: first.next()?.to_owned(),
            headers,
            body: serde_json::from_slice(read.get(end..)?).unwrap_or_default(),
            socket,
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.write_bytes(text.as_bytes()).await;
    }

    pub(crate) async fn write_bytes(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).await.expect("written");
    }

    /// Sends a response of this media type with any body.
    pub(crate) async fn whole(mut self, kind: &str, body: &[u8]) {
        let size = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n"
        );
        self.write_bytes(&[head.as_bytes(), body].concat()).await;
    }

    /// Writes until the client stops reading.
    pub(crate) async fn flood(mut self, text: &str) {
        soon(async { while self.socket.write_all(text.as_bytes()).await.is_ok() {} }).await;
    }

    /// Waits until the client closes the connection.
    pub(crate) async fn closed(mut self) {
        let mut rest = Vec::new();
        // A reset also counts.
        let _ = soon(self.socket.read_to_end(&mut rest)).await;
    }

    pub(crate) async fn answer(mut self, status: &str, head: &str, body: &str) {
        let size = body.len();
        let text = format!(
            "HTTP/1.1 {status}\r\n{head}Content-Length: {size}\r\nConnection: close\r\n\r\n{body}"
        );
        self.write(&text).await;
    }

    pub(crate) async fn status(self, status: &str) {
        self.answer(status, "", "").await;
    }

    pub(crate) async fn json(self, status: &str, body: &Value) {
        let head = "Content-Type: application/json; charset=utf-8\r\n";
        self.answer(status, head, &body.to_string()).await;
    }

    pub(crate) async fn result(self, result: &Value) {
        let body = self.result_message(result);
        self.json("200 OK", &body).await;
    }

    pub(crate) fn result_message(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result})
    }

    pub(crate) async fn error(self, status: &str, code: i64) {
        let error = json!({"code": code, "message": "as asked"});
        let body = json!({"jsonrpc": "2.0", "id": self.body["id"], "error": error});
        self.json(status, &body).await;
    }

    /// Starts a stream of events, which ends with the connection.
    pub(crate) async fn events(&mut self) {
        self.write(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
        )
        .await;
    }

    pub(crate) async fn event(&mut self, message: &Value) {
        self.write(&format!("data: {message}\n\n")).await;
    }
}

/// Returns the HTTP error of a failed call.
pub(crate) fn http(error: &CallError) -> &HttpError {
    match transport_error(error) {
        TransportError::Http(error) => error,
        other => panic!("another error: {other}"),
    }
}
