//! An extractor, a store and an extension of a third party: written against the public API, outside the
//! workspace of the server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mcp_server::types::{EmptyResult, JsonObject, Request, Sender};
use mcp_server::{
    Condition, Context, FromContext, HandlerError, Params, Put, PutOutcome, Requirements,
    ResourceDef, Server, ServerExtension, State, StoreFuture, Stored, StoredValue, ValueStore,
    VersionedValue, WeakServer,
};
use mcp_testkit::peer::Peer;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What the program knows of its shops.
#[derive(Clone)]
struct Shops(Vec<&'static str>);

/// An extractor: the first shop.
struct FirstShop(&'static str);

impl FromContext for FirstShop {
    fn requirements(requirements: &mut Requirements) {
        requirements.state::<Shops>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let State(Shops(shops)) = State::from_context(cx).await?;
        let first = shops.first().copied();
        first.map(Self).ok_or_else(|| {
            HandlerError::tool_error("no_shop", "no shop is open", "Come back tomorrow")
        })
    }
}

#[tokio::test]
async fn extractor_is_asked_for_each_call_and_its_state_when_the_server_is_built() {
    let build = |shops: Option<Shops>| {
        let server = Server::builder("third", "1.0.0");
        let server = server.tool(
            "shop",
            "Names a shop",
            |FirstShop(shop): FirstShop| async move { shop },
        );
        match shops {
            Some(shops) => server.state(shops).build(),
            None => server.build(),
        }
    };
    let missing = build(None).expect_err("no state").to_string();
    assert!(missing.contains("Shops"), "{missing}");
    for (shops, text, is_error) in [
        (vec!["bakery", "mill"], "bakery", false),
        (vec![], "no shop is open", true),
    ] {
        let server = build(Some(Shops(shops))).expect("a state");
        let result = Peer::modern(&server).call("shop", json!({})).await;
        let shown = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(shown.contains(text), "{result}");
        assert_eq!(result["isError"] == true, is_error, "{result}");
    }
}

/// A store of values, without groups.
#[derive(Default)]
struct Shelf {
    values: Mutex<HashMap<String, (VersionedValue, Instant)>>,
}

impl Shelf {
    fn with<T>(
        &self,
        change: impl FnOnce(&mut HashMap<String, (VersionedValue, Instant)>) -> T,
    ) -> T {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.retain(|_, (_, end)| *end > Instant::now());
        change(&mut values)
    }
}

impl ValueStore for Shelf {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        let found = self.with(|values| values.get(key).map(|(value, _)| value.clone()));
        Box::pin(async move { Ok(found) })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        let outcome = self.with(|values| {
            let known = values.get(put.key).map(|(value, _)| value.version);
            let fits = match put.condition {
                Condition::Any => true,
                Condition::Absent => known.is_none(),
                Condition::Version(version) => known == Some(version),
            };
            if !fits {
                return PutOutcome::Conflict;
            }
            let version = known.unwrap_or_default() + 1;
            let value = put.value.to_vec();
            let stored = (
                VersionedValue { value, version },
                Instant::now() + put.time_to_live,
            );
            values.insert(put.key.to_owned(), stored);
            PutOutcome::Written(version)
        });
        Box::pin(async move { Ok(outcome) })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        let removed = self.with(|values| values.remove(key).is_some());
        Box::pin(async move { Ok(removed) })
    }

    fn keys<'a>(&'a self, _: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        let keys = self.with(|values| values.keys().take(most).cloned().collect());
        Box::pin(async move { Ok(keys) })
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Visits(u32);

impl StoredValue for Visits {
    const NAME: &'static str = "visits";
}

#[tokio::test]
async fn two_servers_share_a_store() {
    let shelf: Arc<dyn ValueStore> = Arc::new(Shelf::default());
    let build = || {
        let visit = |visits: Stored<Visits>| async move {
            let visits = visits.update(|visits| Visits(visits.unwrap_or_default().0 + 1));
            Ok::<_, HandlerError>(visits.await?.0.to_string())
        };
        let server = Server::builder("third", "1.0.0").value_store(Arc::clone(&shelf));
        server.tool("visit", "Counts visits", visit).build()
    };
    for count in ["1", "2", "3"] {
        let server = build().expect("valid");
        let result = Peer::modern(&server).call("visit", json!({})).await;
        assert_eq!(result["content"][0]["text"], count, "{result}");
    }
}

/// A request of the extension: something in the shop changed.
struct StockRequest;

impl Request for StockRequest {
    const METHOD: &'static str = "com.example/shop/stock";
    const SENDER: Sender = Sender::Client;
    type Params = JsonObject;
    type Result = EmptyResult;
}

/// An extension whose method announces a change through the server that it belongs to.
fn shop(built: Arc<Mutex<Option<WeakServer>>>) -> ServerExtension {
    let kept = Arc::clone(&built);
    ServerExtension::new("com.example/shop")
        .settings(&json!({ "open": true }))
        .on(move |Params(_): Params<StockRequest>| {
            let server = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
            async move {
                if let Some(server) = server.and_then(|server| server.upgrade()) {
                    server.resource_updated("shop://stock");
                }
                EmptyResult::new()
            }
        })
        .on_built(move |server| {
            let mut known = built.lock().unwrap_or_else(PoisonError::into_inner);
            *known = Some(server.downgrade());
        })
}

#[tokio::test]
async fn extension_announces_changes_and_does_not_keep_the_server() {
    let built = Arc::default();
    let stock = ResourceDef::text("shop://stock", "stock", "3 loaves");
    let server = Server::builder("third", "1.0.0")
        .extension(shop(Arc::clone(&built)))
        .add_resource(stock)
        .build()
        .expect("valid");
    let mut subscriber = Peer::modern(&server);
    let wanted = json!({ "notifications": { "resourceSubscriptions": ["shop://stock"] } });
    subscriber.start("subscriptions/listen", wanted).await;
    let first = subscriber.receive().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    let mut peer = Peer::modern(&server);
    let discovered = peer.result("server/discover", json!({})).await;
    let settings = &discovered["capabilities"]["extensions"]["com.example/shop"];
    assert_eq!(*settings, json!({ "open": true }), "{discovered}");
    peer.result("com.example/shop/stock", json!({})).await;
    let changed = subscriber.receive().await;
    assert_eq!(changed["method"], "notifications/resources/updated");
    assert_eq!(changed["params"]["uri"], "shop://stock");

    peer.end().await.1.expect("served to the end");
    subscriber.end().await.1.expect("served to the end");
    drop(server);
    let weak = built.lock().unwrap_or_else(PoisonError::into_inner).take();
    assert!(weak.expect("built").upgrade().is_none());
}
