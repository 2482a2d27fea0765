//! Malformed ids of a peer are never used as keys of a store.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use mcp_server::{
    HttpConfig, Memory, Put, PutOutcome, ServerBuilder, StoreFuture, ValueStore, VersionedValue,
};

use super::event_store::{Hook, Hooked, Operation};
use super::leaks::id_of;
use super::legacy::*;
use super::subject::*;

/// The keys with which stores were called.
#[derive(Clone, Default)]
struct Keys(Arc<Mutex<Vec<String>>>);

impl Keys {
    fn record(&self, key: &str) {
        self.0.lock().expect("sound").push(key.to_owned());
    }

    /// Returns the keys since the last call.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("sound"))
    }

    /// Adds stores that record their keys.
    fn stores(&self, builder: ServerBuilder) -> ServerBuilder {
        let values = RecordingValues {
            keys: self.clone(),
            values: Memory::new(),
        };
        let builder = builder.value_store(Arc::new(values));
        builder.event_store(Arc::new(Hooked::new(self.clone())))
    }
}

impl Hook for Keys {
    fn before<'a>(
        &'a self,
        operation: Operation<'a>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let (Operation::Open(_, key)
        | Operation::Append(_, key)
        | Operation::Read(key)
        | Operation::Remove(key)) = operation;
        self.record(key);
        Box::pin(std::future::ready(()))
    }
}

struct RecordingValues {
    keys: Keys,
    values: Memory,
}

impl ValueStore for RecordingValues {
    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        self.keys.record(put.key);
        self.values.put(put)
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        self.keys.record(key);
        self.values.get(key)
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        self.keys.record(key);
        self.values.remove(key)
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.values.keys(group, most)
    }
}

/// A well-formed id that this server did not create.
const UNKNOWN: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn malformed_session_ids_return_404_without_a_store_lookup() {
    let keys = Keys::default();
    let (server, _probe) = server(|builder| keys.stores(builder));
    let address = serve_with(&server, HttpConfig::new().http_sse("/sse"));
    let session = start_session(address, "2025-11-25").await;
    keys.take();
    let ask = async |method: &str, id: &str| {
        let mut headers = session.clone();
        for (name, value) in &mut headers {
            if name.eq_ignore_ascii_case("Mcp-Session-Id") {
                id.clone_into(value);
            }
        }
        let body = if method == "POST" { PING } else { "" };
        let mut raw = Raw::connect(address).await;
        let (head, body) = raw.ask(method, &headers, body).await;
        (head.status, body)
    };
    for method in ["POST", "GET", "DELETE"] {
        let expected = ask(method, UNKNOWN).await;
        assert_eq!(expected.0, 404, "{method}");
        // The id is well-formed, so it was looked up.
        assert_eq!(keys.take(), [format!("session:{UNKNOWN}")], "{method}");
        for id in [
            "x",
            "sessions:*",
            "../../etc/passwd",
            &UNKNOWN.to_uppercase(),
            &UNKNOWN[1..],
            &format!("{UNKNOWN}0"),
            &"f".repeat(8_000),
        ] {
            assert_eq!(ask(method, id).await, expected, "{method} {id}");
            assert_eq!(keys.take(), [""; 0], "{method} {id}");
        }
    }
}

#[tokio::test]
async fn malformed_event_ids_are_rejected_without_a_store_lookup() {
    let keys = Keys::default();
    let (server, _probe) = server(|builder| keys.stores(builder));
    let address = serve_with(&server, HttpConfig::new().http_sse("/sse"));
    let session = start_session(address, "2025-11-25").await;
    let resume = async |id: &str| {
        let headers = with_header(session.clone(), "Last-Event-ID", id);
        let mut raw = Raw::connect(address).await;
        raw.ask("GET", &headers, "").await.0.status
    };
    keys.take();
    assert_eq!(resume("0123456789abcdef0-1").await, 200);
    // The session, what the stream is for, whether it has ended, and its events.
    assert_eq!(keys.take()[1..], ["0123456789abcdef0"; 3]);
    for id in [
        "x",
        "-",
        "streams:*-1",
        "../../etc/passwd-1",
        "0123456789abcdef-1",
        "0123456789abcdef0-01",
        "0123456789abcdef0-+1",
        "0123456789ABCDEF0-1",
        &format!("{}-1", "f".repeat(8_000)),
        &format!("0123456789abcdef0-{}", "9".repeat(8_000)),
    ] {
        assert_eq!(resume(id).await, 400, "{id}");
        let session = format!("session:{}", id_of(&session));
        assert_eq!(keys.take(), [session], "{id}");
    }
}

#[tokio::test]
async fn malformed_channel_ids_return_404() {
    let keys = Keys::default();
    let (server, _probe) = server(|builder| keys.stores(builder));
    let address = serve_with(&server, HttpConfig::new().http_sse("/sse"));
    let ask = async |id: &str| {
        let raw = Raw::connect(address).await;
        let mut raw = raw.at(&format!("/sse?sessionId={id}"));
        let (head, body) = raw
            .ask("POST", &with_header(media(), "Accept", ""), PING)
            .await;
        (head.status, body)
    };
    let expected = ask(UNKNOWN).await;
    assert_eq!(expected.0, 404);
    for id in ["x", "%00", &UNKNOWN.to_uppercase(), &"f".repeat(8_000)] {
        assert_eq!(ask(id).await, expected, "{id}");
    }
}
