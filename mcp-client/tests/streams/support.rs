//! Helpers for tests: `mcp-server`, or a script, at the other end of a pair of streams.

use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder, Transport};
use mcp_server::Server;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// Longer than any successful operation.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// Waits for a future, with a timeout.
pub(crate) async fn soon<F: IntoFuture>(what: F) -> F::Output {
    let waited = tokio::time::timeout(TIMEOUT, what.into_future()).await;
    waited.expect("timed out")
}

pub(crate) fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

pub(crate) async fn connect_to(server: Server, builder: ClientBuilder) -> Client {
    let connected = builder.connect(serve(server)).await;
    connected.expect("the server answers")
}

/// Serves at the other end.
pub(crate) fn serve(server: Server) -> impl Transport {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server
            .serve(mcp_server::ByteStream::new(reader, writer))
            .await
    });
    let (reader, writer) = tokio::io::split(ours);
    ByteStream::new(reader, writer)
}

/// The other end, controlled by the test.
pub(crate) struct Script {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    /// The first request of the client that was answered.
    pub(crate) hello: serde_json::Value,
}

impl Script {
    pub(crate) fn new() -> (impl Transport, Self) {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(theirs);
        let script = Self {
            lines: BufReader::new(reader).lines(),
            writer,
            hello: serde_json::Value::Null,
        };
        let (reader, writer) = tokio::io::split(ours);
        (ByteStream::new(reader, writer), script)
    }

    /// Returns a client that negotiated the newest revision with these capabilities.
    pub(crate) async fn modern(builder: ClientBuilder, capabilities: &str) -> (Client, Self) {
        let (transport, mut script) = Self::new();
        let answer = async {
            let asked = script.read().await;
            assert_eq!(asked["method"], "server/discover");
            let result = format!(
                r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private"}}"#
            );
            script.answer(&asked, &result).await;
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
                .write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
                .await;
            let asked = script.read().await;
            assert_eq!(asked["method"], "initialize");
            let result = format!(
                r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"serverInfo":{{"name":"script","version":"1"}}}}"#
            );
            script.answer(&asked, &result).await;
            script.hello = asked;
            let initialized = script.read().await;
            assert_eq!(initialized["method"], "notifications/initialized");
        };
        let (client, ()) = tokio::join!(builder.connect(transport), answer);
        (client.expect("the script answers"), script)
    }

    /// Checks that the client sends nothing more and closes the stream.
    pub(crate) async fn ended(&mut self) -> bool {
        let line = soon(self.lines.next_line()).await.expect("no error");
        line.is_none()
    }

    /// Receives the next message of the client.
    pub(crate) async fn read(&mut self) -> serde_json::Value {
        let line = soon(self.lines.next_line()).await.expect("no error");
        serde_json::from_str(&line.expect("a message")).expect("a message is JSON")
    }

    pub(crate) async fn write(&mut self, message: &str) {
        let line = format!("{message}\n");
        soon(self.writer.write_all(line.as_bytes()))
            .await
            .expect("the client reads");
    }

    pub(crate) async fn answer(&mut self, request: &serde_json::Value, result: &str) {
        let id = &request["id"];
        self.write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ))
        .await;
    }
}
