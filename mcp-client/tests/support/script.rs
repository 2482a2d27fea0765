//! A server that is controlled by a test, line by line.

use std::fmt::Display;

use mcp_client::types::Revision;
use mcp_client::{ByteStream, Client, ClientBuilder, Transport};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};

use super::soon;

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// The server's end of a connection.
pub(crate) struct Script {
    pub(crate) lines: Lines<BufReader<Reader>>,
    pub(crate) writer: Writer,
    /// The first request of the client that was answered.
    pub(crate) hello: Value,
}

impl Script {
    /// Returns both ends of a stream in memory.
    pub(crate) fn new() -> (impl Transport, Self) {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(theirs);
        (ByteStream::of(ours), Self::over(reader, writer))
    }

    /// Returns a server that reads from one stream and writes to another one.
    pub(crate) fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self {
            lines: BufReader::new(Box::new(reader) as Reader).lines(),
            writer: Box::new(writer),
            hello: Value::Null,
        }
    }

    /// Returns a client that negotiated the newest revision with these capabilities.
    pub(crate) async fn modern(builder: ClientBuilder, capabilities: &str) -> (Client, Self) {
        let (transport, mut script) = Self::new();
        let answer = async {
            let asked = script.receive_request("server/discover").await;
            let latest = Revision::LATEST;
            let result = format!(
                r#"{{"resultType":"complete","supportedVersions":["{latest}"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private"}}"#
            );
            script.answer(&asked, &result).await;
            script.hello = asked;
        };
        let (client, ()) = tokio::join!(builder.connect(transport), answer);
        (client.expect("the script answers"), script)
    }

    /// The same with a handshake.
    pub(crate) async fn legacy(
        builder: ClientBuilder,
        revision: &str,
        capabilities: &str,
    ) -> (Client, Self) {
        let (transport, mut script) = Self::new();
        let answer = async {
            let asked = script.read().await;
            let error = r#"{"code":-32601,"message":"no"}"#;
            let id = &asked["id"];
            script
                .send(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
                .await;
            let asked = script.receive_request("initialize").await;
            let result = format!(
                r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"serverInfo":{{"name":"script","version":"1"}}}}"#
            );
            script.answer(&asked, &result).await;
            script.hello = asked;
            script.receive_request("notifications/initialized").await;
        };
        let (client, ()) = tokio::join!(builder.connect(transport), answer);
        (client.expect("the script answers"), script)
    }

    /// Checks that the client sends nothing more and closes the stream.
    pub(crate) async fn ended(&mut self) -> bool {
        let line = soon(self.lines.next_line()).await.expect("readable");
        line.is_none()
    }

    /// Receives the next message of the client.
    pub(crate) async fn read(&mut self) -> Value {
        let line = soon(self.lines.next_line()).await.expect("readable");
        serde_json::from_str(&line.expect("a message")).expect("a message is JSON")
    }

    /// Receives the next message of the client, and checks its method.
    pub(crate) async fn receive_request(&mut self, method: &str) -> Value {
        let asked = self.read().await;
        assert_eq!(asked["method"], method, "{asked}");
        asked
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        let written = soon(self.writer.write_all(bytes)).await;
        written.expect("the client reads");
    }

    /// Sends a line.
    pub(crate) async fn send(&mut self, message: impl Display) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: &str) {
        let id = &request["id"];
        self.send(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ))
        .await;
    }
}
