//! Several processes that serve one endpoint.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{
    EventStore as _, HandlerError, HttpParts, Memory, Put, PutOutcome, ResourceDef, Server,
    StoreFuture, StreamKey, ValueStore, VersionedValue,
};

use super::legacy::*;
use super::subject::*;

#[tokio::test]
async fn two_processes_serve_one_session() {
    let store = Memory::new();
    let (one, mut probe) = server(|builder| builder.store(store.clone()));
    let (two, _probe) = server(|builder| builder.store(store.clone()));
    let at_one = serve(&one);
    let at_two = serve(&two);
    let session = start_session(at_one, "2025-11-25").await;
    let (head, _) = Raw::post(at_two, &session, PING).await;
    assert_eq!(head.status, 200);

    // A stream that was started at one process is resumed at the other.
    let mut raw = start(at_one, &session, &tool(3, "say_and_wait")).await;
    raw.head().await;
    let read = raw.chunk().await;
    soon(probe.waiting.recv()).await;
    drop(raw);
    let resume = with_header(session.clone(), "Last-Event-ID", ids(&read)[0]);
    let mut raw = Raw::connect(at_two).await;
    raw.request("GET", &resume, "").await;
    let head = raw.head().await;
    probe.go.notify_one();
    assert!(raw.body(&head).await.contains("said and waited"));

    // A client response that is sent to the other process reaches the handler, and an unknown one
    // is dropped.
    let mut raw = start(at_one, &session, &tool(5, "ask")).await;
    let head = raw.head().await;
    let read = raw.chunks_until("roots/list").await;
    let (_, id) = read.split_once(r#""id":"#).expect("an id");
    let id: String = id.chars().take_while(char::is_ascii_digit).collect();
    for id in ["77", id.as_str()] {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
        let (head, body) = Raw::post(at_two, &session, &answer).await;
        assert_eq!((head.status, body.as_str()), (202, ""));
    }
    let rest = raw.body(&head).await;
    assert!(rest.contains("\"0 roots\""), "{rest}");

    // A malformed response fails the request at once, whichever process receives it.
    let mut raw = start(at_one, &session, &tool(6, "ask")).await;
    let head = raw.head().await;
    let read = raw.chunks_until("roots/list").await;
    let (_, id) = read.split_once(r#""id":"#).expect("an id");
    let id: String = id.chars().take_while(char::is_ascii_digit).collect();
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"error":null}}"#);
    let (head_of_answer, _) = Raw::post(at_two, &session, &answer).await;
    assert_eq!(head_of_answer.status, 400);
    let rest = raw.body(&head).await;
    assert!(rest.contains("both `result` and `error`"), "{rest}");

    // A request at one process is cancelled at the other, and so is the session.
    let _raw = start(at_one, &session, &tool(4, "wait")).await;
    soon(probe.waiting.recv()).await;
    cancel(at_two, &session, 4).await;
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    Raw::connect(at_two).await.ask("DELETE", &session, "").await;
    soon(async { while Raw::post(at_one, &session, PING).await.0.status != 404 {} }).await;
}

/// Two processes that share all stores, and their addresses.
fn two_processes() -> ([Server; 2], [SocketAddr; 2]) {
    let store = Memory::new();
    let servers = [(); 2].map(|()| server(|builder| builder.store(store.clone())).0);
    let addresses = servers.each_ref().map(serve);
    (servers, addresses)
}

#[tokio::test]
async fn subscription_at_one_process_gets_updates_of_the_other() {
    let ([_one, two], [at_one, at_two]) = two_processes();
    let session = start_session(at_one, "2025-11-25").await;
    let mut received = listen(at_one, &session).await;
    let request = |method: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/{method}","params":{{"uri":"test://a"}}}}"#
        )
    };
    Raw::post(at_two, &session, &request("subscribe")).await;
    two.resource_updated("test://a");
    received
        .chunks_until("notifications/resources/updated")
        .await;
    Raw::post(at_two, &session, &request("unsubscribe")).await;
    two.resource_updated("test://a");
    two.tools_changed();
    let read = received
        .chunks_until("notifications/tools/list_changed")
        .await;
    assert!(!read.contains("resources/updated"), "{read}");
}

/// The process that has the stream knows the request that opened it, not the one that subscribed.
#[tokio::test]
async fn guards_of_notifications_see_the_listening_client_if_another_process_subscribed() {
    let store = Memory::new();
    let servers = [(); 2].map(|()| {
        let guard = async |parts: HttpParts| match parts.headers.get("x-user") {
            Some(user) if user == "ada" => Ok(()),
            _ => Err(HandlerError::forbidden("only Ada may read this")),
        };
        let resource = ResourceDef::text("test://guarded", "guarded", "text").guard(guard);
        server(|builder| builder.store(store.clone()).add_resource(resource)).0
    });
    let [at_one, at_two] = servers.each_ref().map(serve);
    let subscribe = r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://guarded"}}"#;
    for user in ["ada", "bob"] {
        let session = start_session(at_one, "2025-11-25").await;
        let mut received = listen(at_one, &with_header(session.clone(), "X-User", user)).await;
        let ada = with_header(session, "X-User", "ada");
        let (_, body) = Raw::post(at_two, &ada, subscribe).await;
        assert!(body.contains(r#""result":{}"#), "{body}");
        servers[1].resource_updated("test://guarded");
        if user == "ada" {
            received
                .chunks_until("notifications/resources/updated")
                .await;
        } else {
            servers[1].tools_changed();
            servers[1].resource_updated("test://guarded");
            servers[1].prompts_changed();
            let read = received
                .chunks_until("notifications/prompts/list_changed")
                .await;
            assert!(!read.contains("resources/updated"), "{read}");
        }
    }
}

#[tokio::test]
async fn session_that_expires_at_one_process_ends_at_the_other() {
    let store = Memory::new();
    let (one, _probe) = server(|builder| builder.store(store.clone()));
    let hurry = limits(|limits| limits.session_idle_time = Duration::ZERO);
    let (two, _probe) = server(|builder| hurry(builder.store(store.clone())));
    let at_one = serve(&one);
    let at_two = serve(&two);
    let session = start_session(at_one, "2025-11-25").await;
    let mut received = listen(at_one, &session).await;
    let (head, _) = Raw::post(at_two, &session, PING).await;
    assert_eq!(head.status, 404);
    received.rest().await;
    soon(async { while Raw::post(at_one, &session, PING).await.0.status != 404 {} }).await;
}

/// A store in which every session was just used by another process.
struct Busy(Memory);

impl ValueStore for Busy {
    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            let mut value: serde_json::Value = serde_json::from_slice(put.value).expect("JSON");
            // Other values than sessions are unchanged.
            if let Some(session) = value.as_object_mut() {
                session.insert("used".to_owned(), u64::MAX.into());
            }
            let value = value.to_string();
            let put = Put {
                value: value.as_bytes(),
                ..put
            };
            self.0.put(put).await
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        self.0.get(key)
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        self.0.remove(key)
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.0.keys(group, most)
    }
}

#[tokio::test]
async fn session_used_at_another_process_does_not_expire() {
    let hurry = limits(|limits| limits.session_idle_time = Duration::from_nanos(1));
    let busy = Arc::new(Busy(Memory::new()));
    let (server, _probe) = server(|builder| hurry(builder).value_store(busy));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let (head, _) = Raw::post(address, &session, PING).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn memory_for_events_is_bounded_over_all_sessions() {
    const EVENT: usize = 128 << 10;
    let events = Memory::new();
    let time = Duration::from_secs(60);
    for session in 0..80 {
        let session = session.to_string();
        let stream = StreamKey {
            session: &session,
            stream: "s",
        };
        events.open(stream, b"", time).await.expect("opened");
        for number in 1..=8 {
            let event = Some(Bytes::from(vec![b'x'; EVENT]));
            let kept = events.append(stream, number, event, time).await;
            kept.expect("appended");
        }
    }
    let mut kept = Vec::new();
    for session in 0..80 {
        let stream = StreamKey {
            session: &session.to_string(),
            stream: "s",
        };
        let page = events.read(stream, 0).await;
        let page = page.expect("read").expect("known");
        assert_eq!(page.events.last().map(|event| event.0), Some(8));
        kept.push(page.events.len());
    }
    assert_eq!(
        (kept[0], kept[79]),
        (1, 8),
        "the oldest events were not removed"
    );
    let bytes = kept.iter().sum::<usize>() * EVENT;
    assert!((48 << 20..=64 << 20).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn notifications_are_sent_on_the_newest_stream_only() {
    let ([one, two], [at_one, at_two]) = two_processes();
    let session = start_session(at_one, "2025-11-25").await;
    let mut first = listen(at_one, &session).await;
    one.tools_changed();
    first.chunks_until("list_changed").await;
    let mut second = listen(at_two, &session).await;
    one.tools_changed();
    second.chunks_until("list_changed").await;
    assert_eq!(first.rest().await, "");
    // And in the other direction.
    let mut third = listen(at_one, &session).await;
    two.tools_changed();
    third.chunks_until("list_changed").await;
    assert_eq!(second.rest().await, "");
}

#[tokio::test]
async fn subscriptions_at_two_processes_add_up() {
    let store = Memory::new();
    let builder = || server(|builder| builder.store(store.clone())).0;
    let [one, two, three] = [builder(), builder(), builder()];
    let [at_one, at_two, at_three] = [&one, &two, &three].map(serve);
    let session = start_session(at_one, "2025-11-25").await;
    for (at, uri) in [(at_one, "a"), (at_two, "b")] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"test://{uri}"}}}}"#
        );
        let (head, _) = Raw::post(at, &session, &body).await;
        assert_eq!(head.status, 200);
    }
    for at in [at_one, at_two, at_three] {
        let mut received = listen(at, &session).await;
        for uri in ["test://a", "test://b"] {
            one.resource_updated(uri);
            received.chunks_until(uri).await;
        }
    }
}
