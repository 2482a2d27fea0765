//! Processes whose shared store is slow, fails, or is used by another release.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mcp_server::{
    ErrorDetail, HandlerError, HttpConfig, Memory, Server, Stored, StoredValue, ValueStore,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::faulty_store::Faulty;
use super::legacy::*;
use super::principals::mount;
use super::subject::*;
use crate::support::peer::Peer;

fn session_id<'a>(session: &'a [(&'static str, String)]) -> &'a str {
    let mut headers = session.iter();
    let id = headers.find(|(name, _)| *name == "Mcp-Session-Id");
    &id.expect("an id").1
}

const SUBSCRIBE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}"#;

#[tokio::test]
async fn response_does_not_wait_until_its_events_are_stored() {
    let store = Faulty {
        events_stall: true,
        ..Faulty::default()
    };
    let (server, _probe) = server(|builder| builder.store(store));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let started = Instant::now();
    let (_, body) = Raw::post(address, &session, &tool(3, "say")).await;
    assert!(body.contains("\"said\""), "{body}");
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn session_with_a_long_request_is_not_idle_for_other_processes() {
    let store = Memory::new();
    let hurry = || limits(|limits| limits.session_idle_time = Duration::from_secs(2));
    let (one, mut probe) = server(|builder| hurry()(builder).store(store.clone()));
    let (two, _probe) = server(|builder| hurry()(builder).store(store.clone()));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    let mut raw = start(at_one, &session, &tool(3, "wait")).await;
    soon(probe.waiting.recv()).await;
    sleep(Duration::from_secs(4)).await;
    let (head, _) = Raw::post(at_two, &session, PING).await;
    assert_eq!(head.status, 200);
    probe.go.notify_one();
    let head = raw.head().await;
    let body = raw.body(&head).await;
    assert!(body.contains("waited"), "{body}");
}

/// Returns two processes that share a store, with this idle time of sessions.
fn two_processes(idle: Duration) -> [Server; 2] {
    let store = Memory::new();
    [(); 2].map(|()| {
        let hurry = limits(|limits| limits.session_idle_time = idle);
        server(|builder| hurry(builder).store(store.clone())).0
    })
}

#[tokio::test]
async fn every_process_counts_the_idle_time_from_the_latest_use() {
    let [one, two] = two_processes(Duration::from_secs(3));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    for (pause, at) in [(1200, at_one), (2400, at_two), (2400, at_one)] {
        sleep(Duration::from_millis(pause)).await;
        let (head, _) = Raw::post(at, &session, PING).await;
        assert_eq!(head.status, 200, "{at}");
    }
}

#[tokio::test]
async fn session_goes_on_when_a_process_that_it_has_left_forgets_it() {
    let [one, two] = two_processes(Duration::from_secs(2));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    // Longer than the lifetime at the first process, and until it looks for expired sessions.
    for _ in 0..12 {
        sleep(Duration::from_millis(500)).await;
        let (head, _) = Raw::post(at_two, &session, PING).await;
        assert_eq!(head.status, 200);
    }
    assert_eq!(one.metrics().sessions, 0);
    let (head, _) = Raw::post(at_one, &session, PING).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn client_that_moves_faster_than_the_bus_keeps_its_newest_stream() {
    let store = Faulty {
        bus_delay: Duration::from_millis(300),
        ..Faulty::default()
    };
    let servers = [(); 2].map(|()| server(|builder| builder.store(store.clone())).0);
    let [at_one, at_two] = servers.each_ref().map(serve);
    for ways in [&[at_one, at_two][..], &[at_one, at_two, at_one]] {
        let session = start_session(at_one, "2025-11-25").await;
        let mut streams = Vec::new();
        for at in ways {
            streams.push(listen(*at, &session).await);
        }
        let mut newest = streams.pop().expect("a stream");
        for mut stream in streams {
            stream.rest().await;
        }
        sleep(Duration::from_secs(1)).await;
        servers[0].tools_changed();
        newest.chunks_until("tools/list_changed").await;
    }
}

#[tokio::test]
async fn refused_subscription_is_made_when_the_client_tries_again() {
    let store = Faulty::default();
    let (server, _probe) = server(|builder| builder.store(store.clone()));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    store.values_fail.store(true, Ordering::Relaxed);
    let (head, _) = Raw::post(address, &session, SUBSCRIBE).await;
    assert_eq!((head.status, head.get("retry-after")), (503, Some("1")));
    store.values_fail.store(false, Ordering::Relaxed);
    let (head, _) = Raw::post(address, &session, SUBSCRIBE).await;
    assert_eq!(head.status, 200);
    let key = format!("session:{}", session_id(&session));
    let record = store.get(&key).await.expect("read").expect("a record");
    let record = String::from_utf8(record.value).expect("text");
    assert!(record.contains("test://a"), "{record}");
}

#[tokio::test]
async fn full_process_does_not_end_sessions_that_others_serve() {
    let store = Memory::new();
    let (one, _probe) =
        server(|builder| limits(|limits| limits.sessions = 1)(builder).store(store.clone()));
    let (two, _probe) = server(|builder| builder.store(store.clone()));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let first = start_session(at_one, "2025-11-25").await;
    Raw::post(at_two, &first, PING).await;
    let second = start_session(at_one, "2025-11-25").await;
    for (at, session) in [(at_two, &first), (at_one, &second), (at_one, &first)] {
        let (head, _) = Raw::post(at, session, PING).await;
        assert_eq!(head.status, 200);
    }
    // Those that no other process has end for all.
    let third = start_session(at_two, "2025-11-25").await;
    let fourth = start_session(at_one, "2025-11-25").await;
    start_session(at_one, "2025-11-25").await;
    for (session, status) in [(&third, 200), (&fourth, 404)] {
        let (head, _) = Raw::post(at_two, session, PING).await;
        assert_eq!(head.status, status);
    }
}

#[tokio::test]
async fn session_in_use_is_written_once_in_half_of_its_idle_time() {
    tokio::time::pause();
    let store = Faulty::default();
    let (server, _probe) = server(|builder| builder.store(store.clone()));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    for _ in 0..60 {
        sleep(Duration::from_secs(60)).await;
        let (head, _) = Raw::post(address, &session, PING).await;
        assert_eq!(head.status, 200);
    }
    let writes = store.session_writes.load(Ordering::Relaxed);
    assert!((4..=5).contains(&writes), "{writes} in twice the idle time");
}

#[tokio::test]
async fn change_that_only_a_newer_release_knows_notifies_every_subscriber() {
    let old = Faulty::default();
    let new = Faulty {
        is_newer: true,
        ..old.clone()
    };
    let (one, _probe) = server(|builder| builder.store(old));
    let (two, _probe) = server(|builder| builder.store(new));
    let at_one = serve(&one);
    let session = start_session(at_one, "2025-11-25").await;
    let mut received = listen(at_one, &session).await;
    two.resource_updated("test://a");
    received.chunks_until("tools/list_changed").await;
}

#[tokio::test]
async fn two_releases_serve_one_session() {
    let old = Faulty::default();
    let new = Faulty {
        is_newer: true,
        ..old.clone()
    };
    let (one, mut probe) = server(|builder| builder.store(old.clone()));
    let (two, mut other) = server(|builder| builder.store(new));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let ways = [
        (at_one, at_two, &two, &mut probe),
        (at_two, at_one, &one, &mut other),
    ];
    for (at, to, changed, probe) in ways {
        let session = start_session(at, "2025-11-25").await;
        let mut received = listen(at, &session).await;
        let (head, _) = Raw::post(to, &session, SUBSCRIBE).await;
        assert_eq!(head.status, 200);
        changed.resource_updated("test://a");
        received.chunks_until("test://a").await;

        let mut raw = start(at, &session, &tool(3, "say_and_wait")).await;
        raw.head().await;
        let read = raw.chunk().await;
        soon(probe.waiting.recv()).await;
        drop(raw);
        let resume = with_header(session.clone(), "Last-Event-ID", ids(&read)[0]);
        let mut raw = Raw::connect(to).await;
        raw.request("GET", &resume, "").await;
        let head = raw.head().await;
        probe.go.notify_one();
        assert!(raw.body(&head).await.contains("said and waited"));

        let mut raw = start(at, &session, &tool(5, "ask")).await;
        let head = raw.head().await;
        let read = raw.chunks_until("roots/list").await;
        let (_, id) = read.split_once(r#""id":"#).expect("an id");
        let id: String = id.chars().take_while(char::is_ascii_digit).collect();
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
        Raw::post(to, &session, &answer).await;
        assert!(raw.body(&head).await.contains("\"0 roots\""));

        // The older release keeps what it does not know.
        let unsubscribe = SUBSCRIBE.replace("subscribe", "unsubscribe");
        Raw::post(at_one, &session, &unsubscribe).await;
        let key = format!("session:{}", session_id(&session));
        let record = old.get(&key).await.expect("read").expect("a record");
        let record = String::from_utf8(record.value).expect("text");
        assert!(record.contains(r#""later":"1""#), "{record}");

        let _raw = start(at, &session, &tool(4, "wait")).await;
        soon(probe.waiting.recv()).await;
        Raw::connect(to).await.ask("DELETE", &session, "").await;
        assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
        soon(async { while Raw::post(at, &session, PING).await.0.status != 404 {} }).await;
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Count(u32);

impl StoredValue for Count {
    const NAME: &'static str = "count";
}

async fn add(count: Stored<Count>) -> Result<String, HandlerError> {
    let added = |count: Option<Count>| Count(count.unwrap_or_default().0 + 1);
    let count = count.update(added).await?;
    Ok(format!("{} in total", count.0))
}

#[tokio::test]
async fn many_concurrent_updates_of_one_value_succeed() {
    let store = Faulty {
        values_delay: Duration::from_millis(2),
        ..Faulty::default()
    };
    let server = Server::builder("counting", "1")
        .store(store)
        .tool("add", "Adds one", add)
        .build()
        .expect("the definition is sound");
    let address = mount(&server, HttpConfig::default()).await;
    let headers = with_header(call_headers("add"), "X-User", "ada");
    let mut requests = JoinSet::new();
    for id in 0..80 {
        let headers = headers.clone();
        requests.spawn(async move { Raw::post(address, &headers, &call(id, "add")).await.1 });
    }
    let answers = requests.join_all().await;
    assert!(
        answers.iter().any(|it| it.contains("80 in total")),
        "{answers:?}"
    );
}

/// An error of the program with that of the store as its source.
#[derive(Debug, thiserror::Error)]
#[error("table `counts` cannot be written")]
struct CountError(#[from] mcp_server::StoredError);

#[tokio::test]
async fn failed_store_is_retry_later_even_if_errors_are_hidden() {
    let store = Faulty::default();
    let wrapped =
        async |count: Stored<Count>| -> Result<(), CountError> { Ok(count.set(&Count(1)).await?) };
    let prompt = async |count: Stored<Count>| -> Result<&'static str, HandlerError> {
        count.get().await?;
        Ok("counted")
    };
    let server = Server::builder("counting", "1")
        .value_store(Arc::new(store.clone()))
        .error_detail(ErrorDetail::Hidden)
        .tool("add", "Adds one", add)
        .tool("wrapped", "Sets one", wrapped)
        .prompt("count", "Counts", prompt)
        .build()
        .expect("valid");
    store.values_fail.store(true, Ordering::Relaxed);
    let text = "the store of the server cannot be reached: retry later";
    let mut peer = Peer::modern(&server);
    for tool in ["add", "wrapped"] {
        let result = peer.call(tool, json!({})).await;
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["content"][0]["text"], text, "{tool}");
    }
    let answer = peer
        .request("prompts/get", json!({ "name": "count" }))
        .await;
    let expected = json!({ "code": -32603, "message": text, "data": { "retryAfter": 1 } });
    assert_eq!(answer["error"], expected);
}
