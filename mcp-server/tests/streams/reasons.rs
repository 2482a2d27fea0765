//! The reasons of cancellations, as handlers see them.

use std::future::pending;

use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::{ByteStream, Context, HandlerError, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::peer::{Peer, soon};

/// Reports the reason when it is dropped with its handler.
struct Noted(Context, mpsc::UnboundedSender<Option<String>>);

impl Drop for Noted {
    fn drop(&mut self) {
        let reason = self.0.cancel_reason().map(str::to_owned);
        let _ = self.1.send(reason);
    }
}

/// Waits until the handler is dropped.
async fn wait(begun: mpsc::UnboundedSender<()>, _noted: Noted) -> Result<String, HandlerError> {
    begun.send(()).expect("the test waits");
    pending().await
}

/// What handlers report.
pub(crate) struct Reports {
    pub(crate) begun: mpsc::UnboundedReceiver<()>,
    pub(crate) reasons: mpsc::UnboundedReceiver<Option<String>>,
}

/// Returns a server with tools that wait until they are cancelled.
pub(crate) fn waiting(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> (Server, Reports) {
    let (begun, begins) = mpsc::unbounded_channel();
    let (reason, reasons) = mpsc::unbounded_channel();
    let signals = (begun, reason);
    let detached_signals = signals.clone();
    let plain = move |cx: Context| {
        let (begun, reason) = signals.clone();
        wait(begun, Noted(cx, reason))
    };
    let detached = move |cx: Context| {
        let (begun, reason) = detached_signals.clone();
        async move {
            let call = async move |cx: Context| wait(begun, Noted(cx, reason)).await;
            cx.detached("wait", call).await
        }
    };
    let builder = Server::builder("test", "1")
        .tool("plain", "Waits", plain)
        .tool("detached", "Waits", detached);
    let server = change(builder).build().expect("valid");
    let reports = Reports {
        begun: begins,
        reasons,
    };
    (server, reports)
}

fn in_memory(server: &Server) -> Peer {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(theirs);
    Peer::on(ours, server, ByteStream::new(reader, writer))
}

fn cancel(id: u64, reason: Option<&str>) -> Value {
    let mut params = json!({ "requestId": id });
    if let Some(reason) = reason {
        params["reason"] = reason.into();
    }
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

#[tokio::test]
async fn handlers_see_the_reason_of_the_client() {
    let long = format!("x{}", "\u{e9}".repeat(1_000));
    let cut = format!("x{}", "\u{e9}".repeat(511));
    for tool in ["plain", "detached"] {
        let (server, mut reports) = waiting(|builder| builder);
        for (revision, given, seen) in [
            (None, Some("the user left\n"), Some("the user left\n")),
            (None, None, None),
            (None, Some(&*long), Some(&*cut)),
            (Some("2025-06-18"), Some("stop"), Some("stop")),
        ] {
            let mut peer = match revision {
                Some(revision) => Peer::legacy(&server, revision).await,
                None => in_memory(&server),
            };
            let id = peer.start("tools/call", json!({ "name": tool })).await;
            soon(reports.begun.recv()).await.expect("begun");
            peer.send(cancel(id, given)).await;
            let reason = soon(reports.reasons.recv()).await.expect("ended");
            assert_eq!(reason.as_deref(), seen, "{tool} {revision:?}");
        }
    }
}

#[tokio::test]
async fn lost_connection_has_no_reason() {
    let (server, mut reports) = waiting(|builder| builder);
    let mut peer = in_memory(&server);
    peer.start("tools/call", json!({ "name": "plain" })).await;
    soon(reports.begun.recv()).await.expect("begun");
    let serving = peer.disconnect();
    serving.abort();
    assert_eq!(soon(reports.reasons.recv()).await, Some(None));
}

/// Replaces the call of one tool by that of another, as a part of the request.
struct Instead;

impl Middleware for Instead {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.method() != "tools/call" {
            return next.run(request).await;
        }
        let cx = request.context().clone();
        next.request("tools/call", &json!({ "name": "plain" }), &cx)
            .await
    }
}

#[tokio::test]
async fn parts_of_a_request_see_its_reason() {
    let (server, mut reports) = waiting(|builder| builder.layer(Instead));
    let mut peer = in_memory(&server);
    let id = peer.start("tools/call", json!({ "name": "other" })).await;
    soon(reports.begun.recv()).await.expect("begun");
    peer.send(cancel(id, Some("enough"))).await;
    let reason = soon(reports.reasons.recv()).await.expect("ended");
    assert_eq!(reason.as_deref(), Some("enough"));
}
