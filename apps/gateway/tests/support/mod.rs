//! Upstreams, gateways and clients in memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::middleware::{Middleware, Notification};
use mcp_client::{ByteStream, Client, ClientBuilder, Tasks};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::types::{Revision, SubscriptionFilter};
use mcp_server::{Principal, Server};

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits for a future, with a timeout.
pub(crate) async fn soon<F: IntoFuture>(future: F) -> F::Output {
    let done = tokio::time::timeout(TIMEOUT, future.into_future()).await;
    done.expect("timed out")
}

/// Returns an upstream with which the gateway uses a revision.
pub(crate) fn at(name: &str, revision: Revision, server: &Server) -> Upstream {
    let server = server.clone();
    Upstream::new(name, move |builder: ClientBuilder| {
        let stream = ByteStream::of(server.in_memory());
        async move { builder.revision(revision).connect(stream).await }
    })
}

/// Returns a gateway in front of some servers.
pub(crate) async fn gateway(upstreams: impl IntoIterator<Item = Upstream>) -> Gateway {
    let builder = Gateway::builder("gateway", "1.0.0");
    let builder = upstreams
        .into_iter()
        .fold(builder, mcp_gateway::GatewayBuilder::upstream);
    builder.build().await.expect("the definition is valid")
}

/// Connects a client of a revision.
pub(crate) async fn client(gateway: &Gateway, revision: Revision) -> Client {
    connect(gateway, Client::builder("test", "1").revision(revision)).await
}

/// Connects a client.
pub(crate) async fn connect(gateway: &Gateway, builder: ClientBuilder) -> Client {
    let stream = ByteStream::of(gateway.server().in_memory());
    soon(builder.connect(stream)).await.expect("connected")
}

/// Connects a client that is authenticated, and that knows tasks.
pub(crate) async fn user(gateway: &Gateway, name: &str, revision: Revision) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = gateway.server().clone();
    let stream = mcp_server::ByteStream::of(theirs).extension(Principal(name.to_owned()));
    tokio::spawn(async move { server.serve(stream).await });
    let builder = Client::builder("test", "1").revision(revision);
    let connecting = builder
        .extension(Tasks::new())
        .connect(ByteStream::of(ours));
    soon(connecting).await.expect("connected")
}

/// Counts something in a handler.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Returns a server whose only tool returns its name.
pub(crate) fn named(name: &'static str) -> Server {
    let builder =
        Server::builder(name, "1").tool("name", "Returns the name", move || async move { name });
    builder.build().expect("the definition is valid")
}

/// Returns the changes of all lists.
pub(crate) fn changes() -> SubscriptionFilter {
    SubscriptionFilter::new()
        .tools_list_changed(true)
        .prompts_list_changed(true)
        .resources_list_changed(true)
}

/// Counts the announcements that a client gets.
#[derive(Clone, Default)]
pub(crate) struct Announced(Arc<Mutex<HashMap<String, usize>>>);

impl Announced {
    pub(crate) fn get(&self, list: &str) -> usize {
        let all = self.0.lock().expect("no panic");
        let method = format!("notifications/{list}/list_changed");
        all.get(&method).copied().unwrap_or_default()
    }
}

impl Middleware for Announced {
    fn notify(&self, notification: Notification) -> Option<Notification> {
        let method = notification.method().to_owned();
        *self.0.lock().expect("no panic").entry(method).or_default() += 1;
        Some(notification)
    }
}
