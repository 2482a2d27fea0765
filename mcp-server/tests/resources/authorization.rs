//! One guard of a resource holds for every way to learn of it: reads, descriptions, lists,
//! versions, subscriptions, notifications and URLs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::{Request, StatusCode};
use mcp_server::middleware::{self, Next, Outcome};
use mcp_server::types::{Resource, ResourceType};
use mcp_server::{Context, HandlerError, ListAt, ResourceDef, ResourcePage, Server, TemplateDef};
use serde_json::{Value, json};

use super::client::Client;
use super::one_representation::{ALL, opted_in};
use super::versions::http::{Messages, serve};
use super::versions::speaking;
use crate::support::peer::Peer;

const REFUSED: &str = "the safe is locked";

/// A guard that either admits every caller or refuses every caller.
#[derive(Clone, Default)]
struct Lock {
    is_open: Arc<AtomicBool>,
    /// The version of all resources, which changes with the lock.
    version: Arc<AtomicUsize>,
}

impl Lock {
    fn set_open(&self, open: bool) {
        self.is_open.store(open, Ordering::SeqCst);
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    fn version(&self) -> String {
        self.version.load(Ordering::SeqCst).to_string()
    }

    fn check(&self) -> Result<(), HandlerError> {
        if self.is_open.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(HandlerError::forbidden(REFUSED))
    }

    /// A server whose resources `safe:...` have this guard, without another check in any handler.
    fn server(&self) -> Server {
        let (document, folder, rest) = (self.clone(), self.clone(), self.clone());
        let (versioned, version, plain) = (self.clone(), self.clone(), self.clone());
        let described = move |resource: Resource| {
            std::future::ready(
                resource
                    .title("The secret")
                    .version(versioned.version())
                    .resource_type(ResourceType::Document),
            )
        };
        let document = ResourceDef::new("safe:document", "document")
            .guard(move || std::future::ready(document.check()))
            .handler(async || "the contents")
            .describe(described);
        let folder = ResourceDef::new("safe:folder", "folder")
            .guard(move || std::future::ready(folder.check()))
            .list(async |_: ListAt| ResourcePage::new([Resource::new("safe:member", "member")]));
        let rest = TemplateDef::new("safe:{name}", "rest")
            // A guard that is not ready when it is polled first.
            .guard(move || {
                let lock = rest.clone();
                async move {
                    tokio::task::yield_now().await;
                    lock.check()
                }
            })
            .handler(move || std::future::ready(version.version()));
        opted_in()
            .add_resource(document)
            .add_resource(folder)
            .add_resource(
                ResourceDef::new("unlocked:", "unlocked")
                    .handler(move || std::future::ready(plain.version())),
            )
            .add_resource(ResourceDef::text("hidden:", "hidden", "text").visible_if({
                let lock = self.clone();
                move |_| lock.check().is_ok()
            }))
            .add_resource_template(rest)
            .build()
            .unwrap()
    }
}

#[tokio::test]
async fn one_guard_holds_for_every_operation() {
    let lock = Lock::default();
    let server = lock.server();
    let address = serve(&server);
    for client in &mut Client::newest(&server, ALL) {
        lock.set_open(true);
        let metadata = client
            .result("resources/metadata", json!({ "uri": "safe:document" }))
            .await;
        let url = metadata["resource"]["httpUrl"].as_str().unwrap();
        let path = url.strip_prefix("https://files.example.com").unwrap();
        for open in [false, true] {
            lock.set_open(open);
            for (method, uri) in [
                ("resources/read", "safe:document"),
                ("resources/read", "safe:other"),
                ("resources/metadata", "safe:document"),
                ("resources/metadata", "safe:other"),
                ("resources/get", "safe:document"),
                ("resources/list", "safe:folder"),
            ] {
                let answer = client.request(method, json!({ "uri": uri })).await;
                let message = &answer["error"]["message"];
                let refused = message.as_str() == Some("resource not found");
                assert_eq!(
                    refused,
                    !open,
                    "{}, {method} {uri}: {answer}",
                    client.describe()
                );
                assert!(refused || message.is_null(), "{answer}");
            }
            let listed = client.result("resources/list", json!({})).await;
            let listed = listed.to_string();
            assert_eq!(listed.contains("safe:document"), open, "{listed}");
            assert_eq!(listed.contains("The secret"), open, "{listed}");
            let get = Request::get(path);
            let reply = Messages::send(address, get, String::new()).await;
            let expected = if open {
                StatusCode::OK
            } else {
                StatusCode::NOT_FOUND
            };
            assert_eq!(reply.status, expected);
        }
    }
}

#[tokio::test]
async fn listen_acknowledges_a_resource_that_the_client_may_not_read_like_a_missing_one() {
    let lock = Lock::default();
    let server = lock.server();
    let address = serve(&server);
    let uris = ["safe:document", "unlocked:", "safe:other", "unknown:"];
    let params = || speaking(json!({ "notifications": { "resourceSubscriptions": uris } }));
    let mut peer = Peer::modern(&server);
    peer.start("subscriptions/listen", params()).await;
    let mut stream = Messages::post(address, "subscriptions/listen", params()).await;
    for first in [peer.receive().await, stream.next().await] {
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        let agreed = &first["params"]["notifications"]["resourceSubscriptions"];
        assert_eq!(*agreed, json!(uris), "{first}");
    }
    server.resource_updated("safe:document");
    server.resource_updated("unknown:");
    for received in [peer.receive().await, stream.next().await] {
        assert_eq!(received["params"]["uri"], "unknown:", "{received}");
    }
    // From now on the guard admits every caller.
    lock.set_open(true);
    server.resource_updated("safe:document");
    for received in [peer.receive().await, stream.next().await] {
        let uri = &received["params"]["resource"]["uri"];
        assert_eq!(uri, "safe:document", "{received}");
    }
}

/// The streams on which a client of each kind is notified.
enum Notified {
    Pipe(Box<Peer>),
    Http(Box<Messages>),
}

impl Notified {
    async fn next(&mut self) -> Value {
        match self {
            Self::Pipe(peer) => peer.receive().await,
            Self::Http(stream) => stream.next().await,
        }
    }
}

/// Starts a session over HTTP that subscribes to resources. Returns its stream of notifications.
async fn legacy_http(address: SocketAddr, uris: &[&str]) -> Messages {
    let post = |session: Option<&str>| {
        let request = Request::post("/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        match session {
            Some(session) => request.header("Mcp-Session-Id", session),
            None => request,
        }
    };
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let started = Messages::send(address, post(None), initialize.to_string()).await;
    let session = started.session.clone().expect("a session");
    for uri in uris {
        let params = json!({ "uri": uri });
        let subscribe =
            json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": params });
        let sent = Messages::send(address, post(Some(&session)), subscribe.to_string()).await;
        let (_, answer) = sent.answer().await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    let get = Request::get("/mcp")
        .header("Accept", "text/event-stream")
        .header("Mcp-Session-Id", session);
    Messages::send(address, get, String::new()).await
}

#[tokio::test]
async fn client_that_may_not_read_any_more_is_not_notified() {
    let lock = Lock::default();
    lock.set_open(true);
    let server = lock.server();
    let address = serve(&server);
    let uris = ["safe:document", "safe:other", "unlocked:"];
    let listen = speaking(json!({ "notifications": { "resourceSubscriptions": uris } }));
    let standard = json!({ "notifications": { "resourceSubscriptions": uris } });
    let mut clients = Vec::new();
    for params in [&listen, &standard] {
        let mut peer = Peer::modern(&server);
        peer.start("subscriptions/listen", params.clone()).await;
        clients.push(Notified::Pipe(Box::new(peer)));
    }
    let stream = Messages::post(address, "subscriptions/listen", listen).await;
    clients.push(Notified::Http(Box::new(stream)));
    for client in &mut clients {
        let first = client.next().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    }
    let mut peer = Peer::modern(&server);
    peer.result("resources/subscribe", speaking(json!({ "uris": uris })))
        .await;
    clients.push(Notified::Pipe(Box::new(peer)));
    let mut peer = Peer::legacy(&server, "2025-06-18").await;
    for uri in uris {
        peer.result("resources/subscribe", json!({ "uri": uri }))
            .await;
    }
    clients.push(Notified::Pipe(Box::new(peer)));
    clients.push(Notified::Http(Box::new(legacy_http(address, &uris).await)));
    for open in [true, false, true] {
        lock.set_open(open);
        for uri in uris {
            server.resource_updated(uri);
            if !open && uri != "unlocked:" {
                continue;
            }
            // Pending changes are sent in the order of the URIs, so those before this one were not
            // sent if they may not be.
            for (index, client) in clients.iter_mut().enumerate() {
                let received = client.next().await;
                let params = &received["params"];
                let found = params["uri"]
                    .as_str()
                    .or(params["resource"]["uri"].as_str());
                assert_eq!(found, Some(uri), "client {index}: {received}");
            }
        }
    }
}

#[tokio::test]
async fn hidden_resource_is_subscribed_like_one_that_does_not_exist() {
    let lock = Lock::default();
    let server = lock.server();
    let mut modern = Peer::modern(&server);
    let mut legacy = Peer::legacy(&server, "2025-11-25").await;
    let mut listening = Peer::modern(&server);
    for uri in ["hidden:", "unknown:"] {
        let answer = modern
            .result("resources/subscribe", speaking(json!({ "uris": [uri] })))
            .await;
        assert_eq!(answer["resultType"], "complete");
        legacy
            .result("resources/subscribe", json!({ "uri": uri }))
            .await;
    }
    let uris = ["hidden:", "unknown:"];
    let params = speaking(json!({ "notifications": { "resourceSubscriptions": uris } }));
    listening.start("subscriptions/listen", params).await;
    let first = listening.receive().await;
    let agreed = &first["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*agreed, json!(uris));
    // The changes of one task are sent in the order of the URIs.
    server.resource_updated("hidden:");
    server.resource_updated("unknown:");
    for peer in [&mut modern, &mut legacy, &mut listening] {
        let received = peer.receive().await;
        assert_eq!(received["params"]["uri"], "unknown:", "{received}");
    }
}

/// What a middleware attached to the request that subscribed.
#[derive(Clone)]
struct User(&'static str);

#[tokio::test]
async fn guards_of_notifications_see_the_values_of_the_subscribing_request() {
    async fn sign_in(request: middleware::Request, next: Next) -> Outcome {
        next.run(request.with_extension(User("ada"))).await
    }
    let guard = async |cx: Context| match cx.extension() {
        Some(User("ada")) => Ok(()),
        _ => Err(HandlerError::forbidden(REFUSED)),
    };
    let server = Server::builder("test", "1")
        .layer(middleware::from_fn(sign_in))
        .add_resource(ResourceDef::text("a:", "a", "text").guard(guard))
        .build()
        .unwrap();
    let address = serve(&server);
    let mut peer = Peer::legacy(&server, "2025-11-25").await;
    peer.result("resources/subscribe", json!({ "uri": "a:" }))
        .await;
    let mut stream = legacy_http(address, &["a:"]).await;
    server.resource_updated("a:");
    for received in [peer.receive().await, stream.next().await] {
        assert_eq!(received["params"], json!({ "uri": "a:" }), "{received}");
    }
}
