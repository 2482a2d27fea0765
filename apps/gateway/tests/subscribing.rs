//! Subscriptions of sessions at an upstream, which end when the client unsubscribes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder};
use mcp_gateway::Upstream;
use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::types::{Revision, json};
use mcp_server::{ResourceDef, Server};
use tokio::sync::Notify;

use crate::support::{at, client, gateway, soon};

/// The subscriptions that an upstream has, as the gateway spells them.
#[derive(Clone, Default)]
struct Subscribed(Arc<Mutex<BTreeSet<String>>>);

impl Subscribed {
    fn all(&self) -> Vec<String> {
        self.0.lock().expect("no panic").iter().cloned().collect()
    }

    fn server(&self) -> Server {
        let note = ResourceDef::new("notes://one", "one").handler(async || "text");
        let builder = Server::builder("notes", "1").add_resource(note);
        builder.layer(self.clone()).build().expect("valid")
    }
}

impl Middleware for Subscribed {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if let Some(uri) = request.param::<String>("uri")? {
            let mut known = self.0.lock().expect("no panic");
            match request.method() {
                "resources/subscribe" => known.insert(uri),
                "resources/unsubscribe" => known.remove(&uri),
                _ => false,
            };
        }
        next.run(request).await
    }
}

async fn send(client: &Client, method: &'static str, uri: &str) {
    let params = json::Object::from([("uri", uri)]);
    let answered = soon(client.request_json(method, &params)).await;
    answered.expect("answered");
}

#[tokio::test]
async fn resource_is_subscribed_to_once_however_its_uri_is_spelled() {
    let upstream = Subscribed::default();
    let gateway = gateway([at("a", Revision::V2025_11_25, &upstream.server())]).await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    for uri in ["notes://one", "NOTES://one", "notes://%6Fne"] {
        send(&client, "resources/subscribe", uri).await;
    }
    let subscribed = async || {
        while upstream.all().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon(subscribed()).await;
    // Those that come later.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(upstream.all(), ["notes://one"]);
    send(&client, "resources/unsubscribe", "Notes://one").await;
    let unsubscribed = async || {
        while !upstream.all().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon(unsubscribed()).await;
}

#[tokio::test]
async fn client_unsubscribes_while_the_upstream_connects() {
    let upstream = Subscribed::default();
    let (connecting, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (noted, allowed, server) = (Arc::clone(&connecting), Arc::clone(&go), upstream.server());
    let slow = Upstream::new("a", move |builder: ClientBuilder| {
        let (noted, allowed) = (Arc::clone(&noted), Arc::clone(&allowed));
        let stream = ByteStream::of(server.in_memory());
        async move {
            noted.notify_one();
            allowed.notified().await;
            let builder = builder.revision(Revision::V2025_11_25);
            builder.connect(stream).await
        }
    });
    let gateway = gateway([slow.lazy()]).await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    let (first, begun) = (client.clone(), connecting.notified());
    let subscribing =
        tokio::spawn(async move { send(&first, "resources/subscribe", "notes://one").await });
    soon(begun).await;
    send(&client, "resources/unsubscribe", "notes://one").await;
    go.notify_one();
    soon(subscribing).await.expect("no panic");
    // A call of the same session needs the connection, too.
    go.notify_one();
    soon(client.read_resource("notes://one"))
        .await
        .expect("read");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(upstream.all().is_empty(), "{:?}", upstream.all());
}
