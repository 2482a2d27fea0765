//! A server of the newest revision that is controlled by a test.

use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder};
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// Waits for a future, with a timeout.
pub(crate) async fn soon<F: IntoFuture>(what: F) -> F::Output {
    let waited = tokio::time::timeout(Duration::from_secs(30), what.into_future()).await;
    waited.expect("timed out")
}

/// The server's side, controlled by the test.
pub(crate) struct Script {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    /// The first request that was answered.
    pub(crate) hello: Value,
}

/// Returns a client, and the script of its server, which declares these proposals.
pub(crate) async fn modern(builder: ClientBuilder, proposals: &[&str]) -> (Client, Script) {
    let proposals = proposals.iter();
    let experimental: serde_json::Map<_, _> = proposals
        .map(|name| ((*name).to_owned(), serde_json::json!({})))
        .collect();
    let capabilities = serde_json::json!({"experimental": experimental, "resources": {}});
    connect(builder, |_| {
        serde_json::json!({"result": {
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
        }})
    })
    .await
}

/// The same with a server of 2025-11-25, which declares all proposals although its revision has
/// none.
pub(crate) async fn legacy(builder: ClientBuilder) -> (Client, Script) {
    connect(builder, |asked| match asked["method"].as_str() {
        Some("initialize") => serde_json::json!({"result": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"experimental": {"sep-2093": {}, "versioned-resources": {}}},
            "serverInfo": {"name": "script", "version": "1"},
        }}),
        _ => serde_json::json!({"error": {"code": -32601, "message": "no"}}),
    })
    .await
}

async fn connect(
    builder: ClientBuilder,
    mut answer: impl FnMut(&Value) -> Value,
) -> (Client, Script) {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(theirs);
    let mut script = Script {
        lines: BufReader::new(reader).lines(),
        writer,
        hello: Value::Null,
    };
    let (reader, writer) = tokio::io::split(ours);
    let answers = async {
        loop {
            let asked = script.read().await;
            let answer = answer(&asked);
            script.reply(&asked, &answer).await;
            if answer.get("result").is_some() {
                script.hello = asked;
                return;
            }
        }
    };
    let connected = builder.connect(ByteStream::new(reader, writer));
    let (client, ()) = tokio::join!(connected, answers);
    (client.expect("the script answers"), script)
}

impl Script {
    /// Receives the next message of the client.
    pub(crate) async fn read(&mut self) -> Value {
        let line = soon(self.lines.next_line()).await.expect("no error");
        serde_json::from_str(&line.expect("a message")).expect("a message is JSON")
    }

    async fn reply(&mut self, request: &Value, answer: &Value) {
        let mut message = answer.clone();
        message["jsonrpc"] = "2.0".into();
        message["id"] = request["id"].clone();
        self.write(&message).await;
    }

    /// Answers the next request with a result or an error, and returns the request.
    pub(crate) async fn answer(&mut self, answer: Value) -> Value {
        let asked = self.read().await;
        self.reply(&asked, &answer).await;
        asked
    }

    pub(crate) async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        soon(self.writer.write_all(line.as_bytes()))
            .await
            .expect("the client reads");
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let message = serde_json::json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.write(&message).await;
    }
}
