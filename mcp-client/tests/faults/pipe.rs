//! A server that is controlled by a test, over pipes of the system.

use mcp_client::types::Revision;
use mcp_client::{ByteStream, CallError, Client, ClientBuilder, Limits};
use serde_json::json;
#[cfg(unix)]
use tokio::net::unix::pipe::{Receiver, Sender, pipe};
use tokio::task::JoinHandle;

use crate::support::faults::sound;
pub(crate) use crate::support::script::Script;
pub(crate) use crate::support::{soon, transport_error};

pub(crate) fn builder(limits: Limits) -> ClientBuilder {
    Client::builder("test", "1").limits(limits)
}

#[cfg(windows)]
type Receiver = tokio::io::DuplexStream;
#[cfg(windows)]
type Sender = tokio::io::DuplexStream;

/// A pipe in memory: those of Windows have no type of their own in tokio.
#[cfg(windows)]
fn pipe() -> std::io::Result<(Sender, Receiver)> {
    Ok(tokio::io::duplex(64 << 10))
}

/// Returns both ends of two pipes.
pub(crate) fn pipes() -> (ByteStream<Receiver, Sender>, Script) {
    let (theirs, reader) = pipe().expect("a pipe");
    let (writer, ours) = pipe().expect("a pipe");
    (ByteStream::new(reader, writer), Script::over(ours, theirs))
}

impl Script {
    /// Returns a client that has negotiated this revision, and its server.
    pub(crate) async fn piped(builder: ClientBuilder, revision: Revision) -> (Client, Self) {
        let (way, mut server) = pipes();
        let connecting = tokio::spawn(builder.revision(revision).connect(way));
        server.negotiate(revision).await;
        let connected = soon(connecting).await.expect("no panic");
        (connected.expect("connected"), server)
    }

    pub(crate) async fn negotiate(&mut self, revision: Revision) {
        let asked = self.read().await;
        let capabilities = json!({"tools": {}, "logging": {}, "resources": {"subscribe": true}});
        if revision.is_modern() {
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
