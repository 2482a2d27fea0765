//! A server that is controlled by a test, over pipes of the system.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{ByteStream, CallError, Client, ClientBuilder, Limits, TransportError};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::pipe::{Receiver, Sender, pipe};
use tokio::task::JoinHandle;

use super::table::sound;

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) async fn soon<F: IntoFuture>(what: F) -> F::Output {
    let waited = tokio::time::timeout(TIMEOUT, what.into_future()).await;
    waited.expect("timed out")
}

pub(crate) fn builder(limits: Limits) -> ClientBuilder {
    Client::builder("test", "1").limits(limits)
}

/// The server's ends of two pipes.
pub(crate) struct Server {
    pub(crate) lines: Lines<BufReader<Receiver>>,
    pub(crate) writer: Sender,
}

impl Server {
    /// Returns a client that has negotiated this revision, and its server.
    pub(crate) async fn connect(builder: ClientBuilder, revision: Revision) -> (Client, Self) {
        let (theirs, reader) = pipe().expect("a pipe");
        let (writer, ours) = pipe().expect("a pipe");
        let mut server = Self::over(ours, theirs);
        let way = ByteStream::new(reader, writer);
        let connecting = tokio::spawn(builder.revision(revision).connect(way));
        server.negotiate(revision).await;
        let connected = soon(connecting).await.expect("no panic");
        (connected.expect("connected"), server)
    }

    /// Returns a server that reads from one pipe and writes to another one.
    pub(crate) fn over(reader: Receiver, writer: Sender) -> Self {
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
        }
    }

    pub(crate) async fn negotiate(&mut self, revision: Revision) {
        let asked = self.read().await;
        let capabilities = json!({"tools": {}, "logging": {}, "resources": {"subscribe": true}});
        if revision == Revision::LATEST {
            assert_eq!(asked["method"], "server/discover");
            let found = json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "supportedVersions": [revision.as_str()], "capabilities": capabilities,
            });
            self.answer(&asked, &found.to_string()).await;
        } else {
            assert_eq!(asked["method"], "initialize");
            let agreed = json!({
                "protocolVersion": revision.as_str(), "capabilities": capabilities,
                "serverInfo": {"name": "fake", "version": "1"},
            });
            self.answer(&asked, &agreed.to_string()).await;
            assert_eq!(self.read().await["method"], "notifications/initialized");
        }
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

    pub(crate) async fn answer(&mut self, request: &Value, result: &str) {
        let id = &request["id"];
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
        self.write(line.as_bytes()).await;
    }

    /// Checks that the connection still works.
    pub(crate) async fn assert_works(&mut self, client: &Client) {
        let call = list(client);
        let asked = self.receive_request("tools/list").await;
        self.answer(&asked, sound(client.revision())).await;
        soon(call).await.expect("no panic").expect("a list");
    }
}

/// A call in flight, and its outcome.
pub(crate) fn list(client: &Client) -> JoinHandle<Result<(), CallError>> {
    let call = client.tools().one_page();
    tokio::spawn(async { call.await.map(drop) })
}

/// Returns the transport error of a failed call.
pub(crate) fn transport_error(error: &CallError) -> &TransportError {
    match error {
        CallError::Lost { source, .. } => source,
        other => panic!("another error: {other}"),
    }
}
