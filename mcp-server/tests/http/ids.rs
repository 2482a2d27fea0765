//! Ids that a peer makes up never become keys of a store.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use mcp_server::{
    EventStore, HttpConfig, MemoryEvents, MemorySessions, Page, SessionStore, StoreFuture,
};

use crate::legacy::*;
use crate::raw::*;

/// Stores that note the keys that they are asked for.
struct Noting {
    keys: Mutex<Vec<String>>,
    sessions: MemorySessions,
    events: MemoryEvents,
}

impl Noting {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            keys: Mutex::default(),
            sessions: MemorySessions::new(),
            events: MemoryEvents::new(16),
        })
    }

    fn note(&self, key: &str) {
        self.keys.lock().expect("sound").push(key.to_owned());
    }

    /// The keys since the last call.
    fn keys(&self) -> Vec<String> {
        std::mem::take(&mut self.keys.lock().expect("sound"))
    }
}

impl SessionStore for Noting {
    fn put<'a>(&'a self, session: &'a str, value: Vec<u8>) -> StoreFuture<'a, ()> {
        self.note(session);
        self.sessions.put(session, value)
    }

    fn get<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.note(session);
        self.sessions.get(session)
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.note(session);
        SessionStore::remove(&self.sessions, session)
    }
}

impl EventStore for Noting {
    fn open<'a>(&'a self, session: &'a str, stream: &'a str) -> StoreFuture<'a, ()> {
        self.note(stream);
        self.events.open(session, stream)
    }

    fn append<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        number: u64,
        message: Option<Bytes>,
    ) -> StoreFuture<'a, ()> {
        self.note(stream);
        self.events.append(session, stream, number, message)
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        stream: &'a str,
        after: u64,
    ) -> StoreFuture<'a, Option<Page>> {
        self.note(stream);
        self.events.read(session, stream, after)
    }

    fn remove<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()> {
        self.note(session);
        EventStore::remove(&self.events, session)
    }
}

/// An id as this server makes them, which it did not make.
const UNKNOWN: &str = "0123456789abcdef0123456789abcdef";

fn config(noting: &Arc<Noting>) -> HttpConfig {
    HttpConfig::new()
        .session_store(noting.clone())
        .event_store(noting.clone())
        .http_sse("/sse")
}

#[tokio::test]
async fn session_ids_of_another_form_are_unknown_and_no_store_sees_them() {
    let noting = Noting::new();
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, config(&noting));
    let session = begin(address, "2025-11-25").await;
    noting.keys();
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
        // The id has the right form: it was looked up.
        assert_eq!(noting.keys(), [UNKNOWN], "{method}");
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
            assert_eq!(noting.keys(), [""; 0], "{method} {id}");
        }
    }
}

#[tokio::test]
async fn event_ids_of_another_form_are_refused_and_no_store_sees_them() {
    let noting = Noting::new();
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, config(&noting));
    let session = begin(address, "2025-11-25").await;
    let resume = async |id: &str| {
        let headers = with(session.clone(), "Last-Event-ID", id);
        let mut raw = Raw::connect(address).await;
        raw.ask("GET", &headers, "").await.0.status
    };
    noting.keys();
    assert_eq!(resume("0123456789abcdef0-1").await, 200);
    assert_eq!(noting.keys(), ["0123456789abcdef0"]);
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
        assert_eq!(noting.keys(), [""; 0], "{id}");
    }
}

#[tokio::test]
async fn ids_of_channels_of_another_form_are_unknown() {
    let noting = Noting::new();
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, config(&noting));
    let ask = async |id: &str| {
        let raw = Raw::connect(address).await;
        let mut raw = raw.at(&format!("/sse?sessionId={id}"));
        let (head, body) = raw.ask("POST", &with(media(), "Accept", ""), PING).await;
        (head.status, body)
    };
    let expected = ask(UNKNOWN).await;
    assert_eq!(expected.0, 404);
    for id in ["x", "%00", &UNKNOWN.to_uppercase(), &"f".repeat(8_000)] {
        assert_eq!(ask(id).await, expected, "{id}");
    }
}
