//! An extractor, a store and an extension of a third party: written against the public API, outside the
//! workspace of the server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp_server::types::{EmptyResult, JsonObject, Request, Sender};
use mcp_server::{
    Condition, Context, FromContext, HandlerError, KeyGroup, Params, Put, PutOutcome, Requirements,
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

/// A store of values in the memory of this process, without a bound of its size.
#[derive(Default)]
struct Shelf(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    by_key: HashMap<String, Entry>,
    /// The version of the last write of any key: no version may occur twice for a key, also if its
    /// value was removed or has expired in between.
    last_version: u64,
}

struct Entry {
    value: VersionedValue,
    group: Option<String>,
    end: Instant,
}

impl Entries {
    fn put(&mut self, put: Put<'_>) -> PutOutcome {
        let known = self.by_key.get(put.key).map(|entry| entry.value.version);
        let fits = match put.condition {
            Condition::Any => true,
            Condition::Absent => known.is_none(),
            Condition::Version(version) => known == Some(version),
        };
        if !fits {
            return PutOutcome::Conflict;
        }
        if known.is_none()
            && let Some(group) = put.group
            && self.keys(group.name).len() >= group.most
        {
            return PutOutcome::GroupFull;
        }
        self.last_version += 1;
        let version = self.last_version;
        let entry = Entry {
            value: VersionedValue {
                value: put.value.to_vec(),
                version,
            },
            group: put.group.map(|group| group.name.to_owned()),
            end: Instant::now() + put.time_to_live,
        };
        self.by_key.insert(put.key.to_owned(), entry);
        PutOutcome::Written(version)
    }

    /// Returns the keys of a group, those that expire first in front.
    fn keys(&self, group: &str) -> Vec<String> {
        let entries = self.by_key.iter();
        let entries = entries.filter(|(_, entry)| entry.group.as_deref() == Some(group));
        let mut keys: Vec<_> = entries.map(|(key, entry)| (entry.end, key)).collect();
        keys.sort();
        keys.into_iter().map(|(_, key)| key.clone()).collect()
    }
}

impl Shelf {
    /// Calls a function with the values that have not expired, while no other call runs.
    fn with<T>(&self, call: impl FnOnce(&mut Entries) -> T) -> T {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        entries.by_key.retain(|_, entry| entry.end > now);
        call(&mut entries)
    }
}

impl ValueStore for Shelf {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        let found = self.with(|all| all.by_key.get(key).map(|entry| entry.value.clone()));
        Box::pin(async move { Ok(found) })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        let outcome = self.with(|all| all.put(put));
        Box::pin(async move { Ok(outcome) })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        let removed = self.with(|all| all.by_key.remove(key).is_some());
        Box::pin(async move { Ok(removed) })
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        let mut keys = self.with(|all| all.keys(group));
        keys.truncate(most);
        Box::pin(async move { Ok(keys) })
    }
}

#[tokio::test]
async fn store_repeats_no_version_and_limits_groups() {
    let shelf = Shelf::default();
    let put = async |key, condition| {
        let group = KeyGroup {
            name: "shops",
            most: 2,
        };
        let put = Put {
            key,
            value: b"open",
            time_to_live: Duration::from_secs(60),
            condition,
            group: Some(group),
        };
        shelf.put(put).await.expect("no error")
    };
    assert_eq!(put("b", Condition::Absent).await, PutOutcome::Written(1));
    assert_eq!(put("b", Condition::Absent).await, PutOutcome::Conflict);
    assert!(shelf.remove("b").await.expect("no error"));
    assert_eq!(put("b", Condition::Any).await, PutOutcome::Written(2));
    assert_eq!(put("b", Condition::Version(1)).await, PutOutcome::Conflict);
    assert_eq!(put("a", Condition::Any).await, PutOutcome::Written(3));
    assert_eq!(put("c", Condition::Any).await, PutOutcome::GroupFull);
    assert_eq!(shelf.keys("shops", 9).await.expect("no error"), ["b", "a"]);
    assert_eq!(shelf.keys("shops", 1).await.expect("no error"), ["b"]);
    assert!(shelf.keys("mills", 9).await.expect("no error").is_empty());
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
