//! A middleware that learns when the subscriptions of each client begin and end, over HTTP.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::{Http, ResourceDef, Server};
use tokio::task::AbortHandle;

use crate::support::raw::{META, Raw, media, with_header};
use crate::support::soon;

/// The number of open subscriptions by method, and what ends those of sessions.
#[derive(Clone, Default)]
struct Subscriptions {
    open: Arc<Mutex<HashMap<String, usize>>>,
    of_sessions: Arc<Mutex<HashMap<(String, String), AbortHandle>>>,
}

struct Open(Subscriptions, String);

impl Subscriptions {
    fn open(&self, name: &str) -> Open {
        *self
            .open
            .lock()
            .unwrap()
            .entry(name.to_owned())
            .or_default() += 1;
        Open(self.clone(), name.to_owned())
    }

    async fn wait_for(&self, name: &str, count: usize) {
        let waiting = async {
            while self
                .open
                .lock()
                .unwrap()
                .get(name)
                .copied()
                .unwrap_or_default()
                != count
            {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        soon(waiting).await;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        *self
            .0
            .open
            .lock()
            .unwrap()
            .entry(self.1.clone())
            .or_default() -= 1;
    }
}

impl Middleware for Subscriptions {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let session = request.context().session();
        let uri: Option<String> = request.param("uri")?;
        match request.method() {
            "subscriptions/listen" => {
                let _open = self.open("listen");
                next.run(request).await
            }
            "resources/subscribe" => {
                let answer = next.run(request).await?;
                if let (Some(session), Some(uri)) = (session, uri) {
                    let open = self.open(&uri);
                    let key = (session.key().to_owned(), uri);
                    let waiting = tokio::spawn(async move {
                        let _open = open;
                        session.ended().await;
                    });
                    let waiting = waiting.abort_handle();
                    self.of_sessions.lock().unwrap().insert(key, waiting);
                }
                Ok(answer)
            }
            "resources/unsubscribe" => {
                if let (Some(session), Some(uri)) = (session, uri) {
                    let key = (session.key().to_owned(), uri);
                    if let Some(waiting) = self.of_sessions.lock().unwrap().remove(&key) {
                        waiting.abort();
                    }
                }
                next.run(request).await
            }
            _ => next.run(request).await,
        }
    }
}

#[tokio::test]
async fn middleware_sees_the_begin_and_the_end_of_each_subscription() {
    let seen = Subscriptions::default();
    let resource = ResourceDef::new("test://a", "a").handler(async || "text");
    let builder = Server::builder("test", "1").add_resource(resource);
    let server = builder.layer(seen.clone()).build().expect("valid");
    let http = server.serve_http(Http::at("127.0.0.1:0")).expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);

    // A client of the newest revision, which disconnects.
    let mut headers = media();
    headers.push(("MCP-Protocol-Version", "2026-07-28".into()));
    headers.push(("Mcp-Method", "subscriptions/listen".into()));
    let listen = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{"notifications":{{"resourceSubscriptions":["test://a"]}},{META}}}}}"#
    );
    let mut listening = Raw::connect(address).await;
    listening.request("POST", &headers, &listen).await;
    assert_eq!(listening.head().await.status, 200);
    seen.wait_for("listen", 1).await;
    drop(listening);
    seen.wait_for("listen", 0).await;

    // A session, which unsubscribes from one resource and ends with the other.
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let (head, _) = Raw::post(address, &media(), initialize).await;
    let id = head.get("mcp-session-id").expect("a session");
    let session = with_header(media(), "Mcp-Session-Id", id);
    let session = with_header(session, "MCP-Protocol-Version", "2025-11-25");
    let request = |method: &str, uri: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/{method}","params":{{"uri":"{uri}"}}}}"#
        )
    };
    for uri in ["test://a", "test://b"] {
        let (head, body) = Raw::post(address, &session, &request("subscribe", uri)).await;
        assert_eq!(head.status, 200, "{body}");
        seen.wait_for(uri, 1).await;
    }
    Raw::post(address, &session, &request("unsubscribe", "test://a")).await;
    seen.wait_for("test://a", 0).await;
    seen.wait_for("test://b", 1).await;
    let (head, _) = Raw::connect(address)
        .await
        .ask("DELETE", &session, "")
        .await;
    assert!(head.status < 300, "{head:?}");
    seen.wait_for("test://b", 0).await;
}
