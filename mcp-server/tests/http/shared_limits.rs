//! Limits of what processes share.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::{HandlerError, HttpConfig, Memory, Server, Stored, StoredValue};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::faulty_store::Faulty;
use super::legacy::*;
use super::principals::mount;
use super::subject::*;

#[derive(Default, Serialize, Deserialize)]
struct Visits(u32);

impl StoredValue for Visits {
    const NAME: &'static str = "visits";
}

async fn visit(visits: Stored<Visits>) -> Result<String, HandlerError> {
    let more = |visits: Option<Visits>| Visits(visits.unwrap_or_default().0 + 1);
    Ok(format!("{} visits", visits.update(more).await?.0))
}

/// Two processes that share a store, and authenticate by the header `X-User`.
async fn two_processes(sessions_per_peer: usize) -> [SocketAddr; 2] {
    let store = Faulty::default();
    let mut addresses = Vec::new();
    for _ in 0..2 {
        let builder = Server::builder("tested", "1").tool("visit", "Counts", visit);
        let builder = limits(|limits| limits.sessions_per_peer = sessions_per_peer)(builder);
        let server = builder.store(store.clone()).build().expect("sound");
        addresses.push(mount(&server, HttpConfig::default()).await);
    }
    addresses.try_into().expect("two")
}

/// Names of users that differ in the last letter only, and would be too long for keys.
fn long_names() -> [String; 2] {
    ["a", "b"].map(|last| format!("{}{last}", "https://auth.example/user ".repeat(100)))
}

#[tokio::test]
async fn users_with_long_names_have_values_of_their_own() {
    let [at_one, at_two] = two_processes(10).await;
    let [ann, bob] = long_names();
    for (at, user, visits) in [(at_one, &ann, 1), (at_two, &ann, 2), (at_two, &bob, 1)] {
        let headers = with_header(call_headers("visit"), "X-User", user);
        let (_, body) = Raw::post(at, &headers, &call(1, "visit")).await;
        assert!(body.contains(&format!("\"{visits} visits\"")), "{body}");
    }
}

#[tokio::test]
async fn users_with_long_names_have_a_share_of_the_sessions_of_all_processes() {
    let [at_one, at_two] = two_processes(1).await;
    let [ann, bob] = long_names();
    let mut sessions = Vec::new();
    for (at, user) in [(at_one, &ann), (at_one, &bob), (at_two, &ann)] {
        let headers = with_header(media(), "X-User", user);
        let (head, _) = Raw::post(at, &headers, &initialize("2025-11-25")).await;
        let id = head.get("mcp-session-id").expect("a session");
        sessions.push(with_header(headers, "Mcp-Session-Id", id));
    }
    for (session, status) in sessions.iter().zip([404, 200, 200]) {
        let (head, _) = Raw::post(at_two, session, PING).await;
        assert_eq!(head.status, status);
    }
}

/// Subscribes to resources whose URIs have this size together.
async fn subscribe(address: SocketAddr, session: &[(&'static str, String)], bytes: usize) {
    const URI: usize = 4 << 10;
    for at in 0..bytes / URI {
        let uri = format!("test://{at:0>size$}", size = URI - 7);
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"{uri}"}}}}"#
        );
        let (head, _) = Raw::post(address, session, &body).await;
        assert_eq!(head.status, 200);
    }
}

#[tokio::test]
async fn copy_of_a_session_that_outgrows_the_memory_is_dropped() {
    for bus_delay in [Duration::ZERO, Duration::from_secs(60)] {
        let store = Faulty {
            bus_delay,
            ..Faulty::default()
        };
        let little = limits(|limits| limits.retained_bytes = 64 << 10);
        let (one, _probe) = server(|builder| little(builder).store(store.clone()));
        let (two, _probe) = server(|builder| builder.store(store.clone()));
        let (at_one, at_two) = (serve(&one), serve(&two));
        let session = start_session(at_one, "2025-11-25").await;
        let mut received = listen(at_one, &session).await;
        subscribe(at_two, &session, 128 << 10).await;
        if bus_delay.is_zero() {
            received.rest().await;
        }
        // The request notices it if the message was late.
        let (head, _) = Raw::post(at_one, &session, PING).await;
        assert_eq!((head.status, head.get("retry-after")), (503, Some("1")));
        if !bus_delay.is_zero() {
            received.rest().await;
        }
        let (head, _) = Raw::post(at_two, &session, PING).await;
        assert_eq!(head.status, 200);
    }
}

#[tokio::test]
async fn client_that_floods_other_processes_gets_429_with_retry_after() {
    tokio::time::pause();
    let few = limits(|limits| limits.bus_messages_per_peer = 4);
    let (server, _probe) = server(|builder| few(builder).store(Memory::new()));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#;
    let text = "x".repeat(33 << 10);
    let answer = format!(r#"{{"jsonrpc":"2.0","id":9,"result":{{"text":"{text}"}}}}"#);
    let change =
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}"#;
    let listen = |address| {
        let session = session.clone();
        async move {
            let mut raw = Raw::connect(address).await;
            raw.request("GET", &session, "").await;
            raw.head().await
        }
    };
    for (first, last) in [(cancel, &*answer), (&*answer, change), (change, cancel)] {
        for message in [first, cancel, cancel, cancel, cancel] {
            Raw::post(address, &session, message).await;
        }
        let (head, _) = Raw::post(address, &session, last).await;
        assert_eq!((head.status, head.get("retry-after")), (429, Some("1")));
        assert_eq!(listen(address).await.status, 429);
        // What no other process needs to know is accepted, and so are other clients.
        let (head, _) = Raw::post(address, &session, PING).await;
        assert_eq!(head.status, 200);
        let mut other = Raw::connect_from("127.0.0.2", address).await;
        let (head, _) = other.ask("POST", &session, cancel).await;
        assert_eq!(head.status, 202);
        sleep(Duration::from_secs(11)).await;
        let (head, _) = Raw::post(address, &session, cancel).await;
        assert_eq!(head.status, 202);
        sleep(Duration::from_secs(11)).await;
    }
    assert_eq!(listen(address).await.status, 200);
}

#[tokio::test]
async fn stream_that_cannot_be_stored_keeps_its_permit_for_a_minute() {
    tokio::time::pause();
    let store = Faulty {
        events_stall: true,
        ..Faulty::default()
    };
    let one = limits(|limits| limits.requests_per_peer = 1);
    let (server, mut probe) = server(|builder| one(builder).store(store));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(3, "say_and_wait")).await;
    let head = raw.head().await;
    soon(probe.waiting.recv()).await;
    probe.go.notify_one();
    assert!(raw.body(&head).await.contains("said and waited"));
    // Three events are not stored: the progress, the response, and the end.
    for (seconds, status) in [(30, 429), (40, 200)] {
        sleep(Duration::from_secs(seconds)).await;
        let (head, _) = Raw::post(address, &session, PING).await;
        assert_eq!(head.status, status, "{seconds}");
    }
}
