//! `notifications/resources/content_changed`: content and time of the notifications.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::types::Resource;
use mcp_server::{Context, HandlerError, Limits, ResourceDef, ResourceUri, Server};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::notes::Notes;
use super::{CHANGED, SUBSCRIPTION, UPDATED, opted, speaking};
use crate::support::peer::Peer;

/// Subscribes a peer with the proposal, by one of the two methods.
async fn subscribe(peer: &mut Peer, listens: bool, uris: &[String]) {
    if listens {
        let params = json!({ "notifications": { "resourceSubscriptions": uris } });
        peer.start("subscriptions/listen", speaking(params)).await;
        let first = peer.receive().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    } else {
        let params = json!({ "uris": uris });
        peer.result("resources/subscribe", speaking(params)).await;
    }
}

fn version(received: &Value) -> u64 {
    assert_eq!(received["method"], CHANGED, "{received}");
    let version = received["params"]["resource"]["version"].as_str();
    version
        .and_then(|version| version.parse().ok())
        .expect("a number")
}

#[tokio::test]
async fn notification_contains_the_resource_and_the_subscription_id() {
    let notes = Notes::default();
    let server = notes.server();
    let mut peer = Peer::modern(&server);
    subscribe(&mut peer, true, &["n:a".into()]).await;
    notes.change(&server, "a", "1");
    let received = peer.receive().await;
    assert_eq!(version(&received), 1);
    assert_eq!(received["params"]["resource"]["uri"], "n:a");
    assert_eq!(received["params"]["_meta"], json!({ SUBSCRIPTION: 1 }));
    assert_eq!(received["params"]["uri"], Value::Null);
}

#[tokio::test]
async fn peer_without_the_proposal_gets_standard_notifications() {
    let notes = Notes::default();
    let server = notes.server();
    let mut peer = Peer::modern(&server);
    let params = json!({ "notifications": { "resourceSubscriptions": ["n:a"] } });
    peer.start("subscriptions/listen", params).await;
    peer.receive().await;
    notes.change(&server, "a", "1");
    let received = peer.receive().await;
    assert_eq!(received["method"], UPDATED);
    assert_eq!(
        received["params"],
        json!({ "uri": "n:a", "_meta": { SUBSCRIPTION: 1 } })
    );
    assert_eq!(notes.counts(), (0, 0));
}

#[tokio::test]
async fn missing_version_is_derived_from_the_contents() {
    let notes = Notes::default();
    let server = opted()
        .add_resource_template(notes.plain())
        .add_resource(ResourceDef::text("d:a", "a", "text"))
        .build()
        .unwrap();
    for listens in [false, true] {
        let mut peer = Peer::modern(&server);
        subscribe(&mut peer, listens, &["n:a".into(), "d:a".into()]).await;
        for uri in ["n:a", "d:a"] {
            notes.put("a", format!("text, {listens}"));
            server.resource_updated(uri);
            let received = peer.receive().await;
            assert_eq!(received["method"], CHANGED);
            let got = peer.result("resources/get", json!({ "uri": uri })).await;
            assert!(got["resource"]["version"].is_string(), "{got}");
            assert_eq!(received["params"]["resource"], got["resource"]);
        }
    }
}

#[tokio::test]
async fn burst_of_changes_ends_with_the_last_version_of_every_resource() {
    const ROUNDS: u64 = 100;
    const NOTES: u64 = 100;
    for listens in [false, true] {
        let notes = Notes::default();
        let server = notes.server();
        let mut peer = Peer::modern(&server);
        let names: Vec<_> = (0..NOTES).map(|name| name.to_string()).collect();
        let uris: Vec<_> = names.iter().map(|name| format!("n:{name}")).collect();
        subscribe(&mut peer, listens, &uris).await;
        let burst = tokio::spawn({
            let (notes, server) = (notes.clone(), server.clone());
            async move {
                for round in 1..=ROUNDS {
                    for name in &names {
                        notes.change(&server, name, round);
                    }
                    // The peer also reads meanwhile.
                    tokio::task::yield_now().await;
                }
            }
        });
        let mut last = BTreeMap::new();
        let mut count = 0;
        while last.len() < uris.len() || last.values().any(|version| *version < ROUNDS) {
            let received = peer.receive().await;
            let uri = received["params"]["resource"]["uri"]
                .as_str()
                .unwrap()
                .to_owned();
            let version = version(&received);
            let before = last.insert(uri, version);
            assert!(before <= Some(version), "{received} after {before:?}");
            count += 1;
        }
        burst.await.unwrap();
        assert!(count <= ROUNDS * NOTES, "{count} messages");
    }
}

#[tokio::test]
async fn slow_reader_does_not_block_others_and_gets_the_last_version() {
    const CHANGES: u64 = 10_000;
    for listens in [false, true] {
        let notes = Notes::default();
        let mut limits = Limits::default();
        limits.queued_bytes = 16 << 10;
        let resource = notes.versioned().description("x".repeat(1 << 10));
        let server = opted()
            .limits(limits)
            .add_resource_template(resource)
            .build()
            .unwrap();
        let mut slow = Peer::modern(&server);
        let mut quick = Peer::modern(&server);
        for peer in [&mut slow, &mut quick] {
            subscribe(peer, listens, &["n:a".into(), "n:b".into()]).await;
        }
        for change in 1..=CHANGES {
            for name in ["a", "b"] {
                notes.change(&server, name, change);
            }
            let mut heard = [0; 2];
            // The listening peer gets every change, while the other one reads nothing.
            while heard.iter().any(|version| *version < change) && change % 100 == 0 {
                let received = quick.receive().await;
                let b = received["params"]["resource"]["uri"] == "n:b";
                heard[usize::from(b)] = version(&received);
            }
        }
        let (mut last, mut count) = (BTreeMap::new(), 0);
        while last.len() < 2 || last.values().any(|version| *version < CHANGES) {
            let received = slow.receive().await;
            let uri = received["params"]["resource"]["uri"]
                .as_str()
                .unwrap()
                .to_owned();
            last.insert(uri, version(&received));
            count += 1;
        }
        // The number is limited by the pipe and the queue, not by the number of changes.
        assert!(count < 200, "{count} messages");
    }
}

#[tokio::test]
async fn change_during_the_description_is_notified_again() {
    for listens in [false, true] {
        let notes = Notes::default();
        notes.put("a", 0);
        let entered = Arc::new(Semaphore::new(0));
        let go = Arc::new(Semaphore::new(0));
        let (enter, wait, texts) = (Arc::clone(&entered), Arc::clone(&go), notes.clone());
        let resource = notes.plain().describe(move |resource: Resource| {
            let version = texts.text(&resource.uri);
            enter.add_permits(1);
            let wait = Arc::clone(&wait);
            async move {
                wait.acquire().await?.forget();
                Ok::<_, HandlerError>(resource.version(version?))
            }
        });
        let server = opted().add_resource_template(resource).build().unwrap();
        let mut peer = Peer::modern(&server);
        subscribe(&mut peer, listens, &["n:a".into()]).await;
        notes.change(&server, "a", 1);
        entered.acquire().await.unwrap().forget();
        for change in 2..=5 {
            notes.change(&server, "a", change);
        }
        go.add_permits(1);
        assert_eq!(version(&peer.receive().await), 1);
        go.add_permits(1);
        assert_eq!(version(&peer.receive().await), 5);
    }
}

#[tokio::test]
async fn change_of_a_resource_without_a_description_is_notified() {
    let mut limits = Limits::default();
    limits.request_time = Duration::from_millis(50);
    let notes = Notes::default();
    notes.put("a", 1);
    let failing = |name: &str, fails: fn(&Context) -> bool| {
        let describe = move |resource: Resource, cx: Context| async move {
            if !fails(&cx) {
                // Blocks forever.
                std::future::pending::<()>().await;
            }
            Err::<Resource, _>(HandlerError::internal(resource.uri))
        };
        ResourceDef::text(format!("f:{name}"), name, "text").describe(describe)
    };
    let server = opted()
        .limits(limits)
        .add_resource_template(notes.versioned())
        .add_resource(failing("fails", |_| true))
        .add_resource(failing("hangs", |_| false))
        .add_resource(failing("panics", |_| panic!("on purpose")))
        .add_resource(ResourceDef::new("f:unreadable", "unreadable").handler(
            async |ResourceUri(uri): ResourceUri| -> Result<_, HandlerError> {
                Err::<String, _>(HandlerError::internal(uri))
            },
        ))
        .build()
        .unwrap();
    let uris = [
        "n:a",
        "n:gone",
        "x:unknown",
        "f:fails",
        "f:hangs",
        "f:panics",
        "f:unreadable",
    ];
    for listens in [false, true] {
        let mut peer = Peer::modern(&server);
        subscribe(&mut peer, listens, &uris.map(str::to_owned)).await;
        for uri in &uris[1..] {
            server.resource_updated(*uri);
            let received = peer.receive().await;
            assert_eq!(received["method"], UPDATED, "{received}");
            assert_eq!(received["params"]["uri"], *uri);
            let id = &received["params"]["_meta"][SUBSCRIPTION];
            assert_eq!(id.is_null(), !listens, "{received}");
        }
        // The subscription continues.
        notes.change(&server, "a", 1);
        assert_eq!(version(&peer.receive().await), 1);
        notes.remove("a");
        server.resource_updated("n:a");
        assert_eq!(peer.receive().await["method"], UPDATED);
    }
}

#[tokio::test]
async fn describing_handler_has_the_peers_context_without_input() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let describe = move |resource: Resource, cx: Context| {
        let count = Arc::clone(&count);
        async move {
            assert_eq!(cx.request_id(), None);
            assert!(cx.negotiated(mcp_server::Proposal::VersionedResources));
            assert!(!cx.is_cancelled());
            let method = cx.method().to_owned();
            assert!(cx.roots().await.is_err());
            count.fetch_add(1, Ordering::Relaxed);
            resource.version(method)
        }
    };
    let resource = ResourceDef::text("d:a", "a", "text").describe(describe);
    let server: Server = opted().add_resource(resource).build().unwrap();
    for listens in [false, true] {
        let mut peer = Peer::modern(&server);
        subscribe(&mut peer, listens, &["d:a".into()]).await;
        server.resource_updated("d:a");
        let received = peer.receive().await;
        assert_eq!(received["method"], CHANGED, "{received}");
        assert_eq!(received["params"]["resource"]["version"], CHANGED);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}
