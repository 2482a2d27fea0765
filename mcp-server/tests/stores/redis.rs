//! The store in Redis, with a server of its own for each test.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_server::{
    Bus, Condition, EventStore, Put, PutOutcome, Redis, RedisError, StoreError, StreamKey,
    ValueStore, testing,
};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::redis_server::RedisServer;

const LONG: Duration = Duration::from_secs(60);
const STREAM: StreamKey<'static> = StreamKey {
    session: "session",
    stream: "1",
};

fn put<'a>(key: &'a str, value: &'a [u8]) -> Put<'a> {
    Put {
        key,
        value,
        time_to_live: LONG,
        condition: Condition::Any,
        group: None,
    }
}

async fn connect(server: &RedisServer) -> Redis {
    Redis::connect(&server.url()).await.expect("connected")
}

async fn append(store: &Redis, number: u64, text: &'static str) {
    let message = Some(Bytes::from_static(text.as_bytes()));
    let appended = store.append(STREAM, number, message, LONG).await;
    appended.expect("appended");
}

/// Reads the next event, as a connection of a client does: an error ends it.
fn read_next(store: &Redis, after: u64) -> JoinHandle<(u64, Bytes)> {
    let store = store.clone();
    tokio::spawn(async move {
        loop {
            let page = store.read(STREAM, after).await.expect("read");
            let mut page = page.expect("the stream is known");
            if !page.events.is_empty() {
                return page.events.remove(0);
            }
        }
    })
}

/// Receives this many messages, as a server does: it tries again after errors. Panics if some were
/// missed.
fn receive(store: &Redis, position: &str, number: usize) -> JoinHandle<Vec<Vec<u8>>> {
    let (store, mut position) = (store.clone(), position.to_owned());
    tokio::spawn(async move {
        let mut all = Vec::new();
        while all.len() < number {
            let Ok(page) = store.receive(Some(&position)).await else {
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            assert!(!page.missed, "messages were missed after {position}");
            all.extend(page.messages);
            position = page.position;
        }
        all
    })
}

async fn end(store: &Redis) -> String {
    store.receive(None).await.expect("end").position
}

/// Returns the result of a task that has to end soon.
async fn soon<T>(task: JoinHandle<T>) -> T {
    let done = timeout(Duration::from_secs(8), task).await;
    done.expect("in time").expect("no panic")
}

/// Waits until the store works again.
async fn recovered(store: &Redis) {
    let started = Instant::now();
    while let Err(error) = store.get("any").await {
        assert!(started.elapsed() < Duration::from_secs(5), "{error:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_does_what_a_store_has_to_do() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    testing::store(async || connect(&server).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarted_server_with_a_log_has_lost_nothing() {
    let arguments = ["--appendonly", "yes", "--appendfsync", "always"];
    let Some(mut server) = RedisServer::start(&arguments) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    let outcome = a.put(put("kept", b"value")).await.expect("written");
    a.open(STREAM, LONG).await.expect("opened");
    append(&a, 1, "before").await;
    let position = end(&b).await;
    let (reader, messages) = (read_next(&b, 1), receive(&b, &position, 2));
    sleep(Duration::from_millis(300)).await;
    a.publish(b"before").await.expect("published");

    server.kill();
    for store in [&a, &b] {
        let started = Instant::now();
        assert!(store.get("kept").await.is_err());
        assert!(
            started.elapsed() < Duration::from_millis(1500),
            "{:?}",
            started.elapsed()
        );
    }
    server.run();
    recovered(&a).await;
    recovered(&b).await;

    let found = b.get("kept").await.expect("read").expect("kept");
    assert_eq!(found.value, b"value");
    assert_eq!(PutOutcome::Written(found.version), outcome);
    append(&a, 2, "after").await;
    assert_eq!(soon(reader).await, (2, Bytes::from_static(b"after")));
    a.publish(b"after").await.expect("published");
    assert_eq!(
        soon(messages).await,
        [b"before".to_vec(), b"after".to_vec()]
    );
    let page = b.read(STREAM, 0).await.expect("read").expect("known");
    assert_eq!(page.events[0], (1, Bytes::from_static(b"before")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarted_server_without_a_log_begins_again_and_reports_missed_messages() {
    let Some(mut server) = RedisServer::start(&[]) else {
        return;
    };
    let store = connect(&server).await;
    let outcome = store.put(put("lost", b"1")).await.expect("written");
    store.open(STREAM, LONG).await.expect("opened");
    store.publish(b"lost").await.expect("published");
    let positions = [end(&store).await, end(&store).await];

    server.kill();
    server.run();
    recovered(&store).await;
    assert!(store.get("lost").await.expect("read").is_none());
    assert!(store.read(STREAM, 0).await.expect("read").is_none());
    let again = store.put(put("lost", b"2")).await.expect("written");
    assert_ne!(again, outcome);

    // Before and after the first message of the new log.
    let page = store.receive(Some(&positions[0])).await.expect("received");
    assert!(page.missed && page.messages.is_empty());
    store.publish(b"new").await.expect("published");
    let page = store.receive(Some(&positions[1])).await.expect("received");
    assert!(page.missed);
    assert_eq!(page.messages, [b"new".to_vec()]);
    let page = store.receive(Some("0")).await.expect("received");
    assert!(!page.missed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trimmed_messages_are_reported_as_missed() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let store = connect(&server).await;
    let position = end(&store).await;
    for at in 0..10_500_u32 {
        store.publish(&at.to_be_bytes()).await.expect("published");
    }
    let page = store.receive(Some(&position)).await.expect("received");
    assert!(page.missed);
    assert_ne!(page.messages[0], 0_u32.to_be_bytes());
    let page = store.receive(Some(&page.position)).await.expect("received");
    assert!(!page.missed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_does_not_answer_fails_calls_for_a_while() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    a.open(STREAM, LONG).await.expect("opened");
    let (reader, messages) = (read_next(&b, 0), receive(&b, &end(&b).await, 1));
    sleep(Duration::from_millis(300)).await;

    server.signal("-STOP");
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let store = a.clone();
            tokio::spawn(async move { (store.get("key").await, Instant::now()) })
        })
        .collect();
    let started = Instant::now();
    for call in calls {
        let (result, ended) = call.await.expect("no panic");
        assert!(matches!(result, Err(StoreError::TimedOut(_))), "{result:?}");
        assert!(
            ended - started < Duration::from_millis(2500),
            "{:?}",
            ended - started
        );
    }
    sleep(Duration::from_millis(1500)).await;
    server.signal("-CONT");

    recovered(&a).await;
    append(&a, 1, "after").await;
    assert_eq!(soon(reader).await, (1, Bytes::from_static(b"after")));
    recovered(&b).await;
    b.publish(b"after").await.expect("published");
    assert_eq!(soon(messages).await, [b"after".to_vec()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_are_replaced_and_nothing_is_missed() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    a.open(STREAM, LONG).await.expect("opened");
    let messages = receive(&b, &end(&b).await, 6);
    for number in 1..=3 {
        let reader = read_next(&b, number - 1);
        sleep(Duration::from_millis(300)).await;
        a.publish(b"before").await.expect("published");
        server.command("CLIENT KILL TYPE pubsub");
        server.command("CLIENT KILL TYPE normal SKIPME yes");
        sleep(Duration::from_millis(100)).await;
        // The next calls of both handles work.
        b.get("any").await.expect("read");
        append(&a, number, "after").await;
        let appended = Instant::now();
        assert_eq!(soon(reader).await, (number, Bytes::from_static(b"after")));
        assert!(
            appended.elapsed() < Duration::from_secs(1),
            "{:?}",
            appended.elapsed()
        );
        a.publish(b"after").await.expect("published");
    }
    let expected: Vec<_> = (0..3)
        .flat_map(|_| [b"before".to_vec(), b"after".to_vec()])
        .collect();
    assert_eq!(soon(messages).await, expected);
}

/// Without the notification, a reader waits for up to two seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_readers_share_one_connection() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    let names: Arc<[String]> = (0..300).map(|at| format!("{at}")).collect();
    let key = |names: &[String], at: usize| names[at].clone();
    let mut readers = Vec::new();
    for at in 0..names.len() {
        let name = key(&names, at);
        let stream = StreamKey {
            session: &name,
            stream: "1",
        };
        a.open(stream, LONG).await.expect("opened");
        let store = b.clone();
        readers.push(tokio::spawn(async move {
            let stream = StreamKey {
                session: &name,
                stream: "1",
            };
            let page = store.read(stream, 0).await.expect("read").expect("known");
            (page.events.len(), Instant::now())
        }));
    }
    sleep(Duration::from_secs(1)).await;
    let clients = server.command("CLIENT LIST TYPE pubsub");
    assert_eq!(clients.matches("id=").count(), 1, "{clients}");
    assert!(
        clients.contains(&format!("sub={}", names.len())),
        "{clients}"
    );
    let started = Instant::now();
    for name in names.iter() {
        let stream = StreamKey {
            session: name,
            stream: "1",
        };
        let message = Some(Bytes::from_static(b"event"));
        a.append(stream, 1, message, LONG).await.expect("appended");
    }
    for reader in readers {
        let (events, read) = reader.await.expect("no panic");
        assert_eq!(events, 1);
        assert!(
            read - started < Duration::from_millis(900),
            "{:?}",
            read - started
        );
    }
    // Unused channels are removed, and the connection with the last one.
    let started = Instant::now();
    while server.command("CLIENT LIST TYPE pubsub").contains("id=") {
        assert!(started.elapsed() < Duration::from_secs(25));
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_expires_and_sessions_are_bounded() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let store = Redis::connect_with(&server.url(), "app:")
        .await
        .expect("connected");
    let kept = Duration::from_millis(500);
    for at in 0..70 {
        let stream = StreamKey {
            session: "s",
            stream: &at.to_string(),
        };
        store.open(stream, kept).await.expect("opened");
        let ends = at % 2 == 1;
        let message = (!ends).then(|| Bytes::from_static(b"event"));
        store
            .append(stream, 1, message, kept)
            .await
            .expect("appended");
    }
    let streams = server.command("ZCARD app:streams:s");
    assert!(streams.starts_with(":64\r\n"), "{streams}");
    for (at, is_known) in [
        ("0", true),
        ("1", false),
        ("2", true),
        ("11", false),
        ("13", true),
    ] {
        let page = store
            .read(
                StreamKey {
                    session: "s",
                    stream: at,
                },
                0,
            )
            .await
            .expect("read");
        assert_eq!(page.is_some(), is_known, "stream {at}");
    }
    let group = Some(mcp_server::KeyGroup { name: "g", most: 9 });
    let write = Put {
        time_to_live: kept,
        group,
        ..put("key", b"value")
    };
    store.put(write).await.expect("written");
    store.publish(b"message").await.expect("published");
    sleep(Duration::from_millis(700)).await;
    let keys = server.command("KEYS *");
    assert!(keys.starts_with("*3\r\n"), "{keys}");
    for name in ["app:version\r\n", "app:bus\r\n", "app:bus:latest\r\n"] {
        assert!(keys.contains(name), "{keys}");
    }
    let expiry = server.command("PTTL app:bus");
    assert!(expiry.starts_with(":29"), "{expiry}");
}

/// Returns everything that an error says.
fn texts(error: &RedisError) -> String {
    let source = error.source().map(|source| format!("{source} {source:?}"));
    format!("{error} {error:?} {}", source.unwrap_or_default())
}

#[tokio::test]
async fn rejected_password_is_an_error_that_does_not_show_it() {
    let Some(server) = RedisServer::start(&["--requirepass", "right"]) else {
        return;
    };
    let error = Redis::connect(&server.url_with("hunter2"))
        .await
        .expect_err("rejected");
    assert!(matches!(error, RedisError::Authentication), "{error:?}");
    assert!(!texts(&error).contains("hunter2"));
    let error = Redis::connect(&server.url()).await.expect_err("rejected");
    assert!(matches!(error, RedisError::Authentication), "{error:?}");
    let store = Redis::connect(&server.url_with("right"))
        .await
        .expect("accepted");
    assert!(!format!("{store:?}").contains("right"));

    for url in ["redis://:hunter2@host:port", "http://:hunter2@host"] {
        let error = Redis::connect(url).await.expect_err("invalid");
        assert!(matches!(error, RedisError::Url), "{error:?}");
        assert!(!texts(&error).contains("hunter2"));
    }
    let error = Redis::connect("redis://:hunter2@127.0.0.1:1")
        .await
        .expect_err("unreachable");
    assert!(matches!(error, RedisError::Failed(_)), "{error:?}");
    assert!(!texts(&error).contains("hunter2"));
}

#[tokio::test]
async fn server_in_cluster_mode_is_refused() {
    let Some(server) = RedisServer::start(&["--cluster-enabled", "yes"]) else {
        return;
    };
    let error = Redis::connect(&server.url()).await.expect_err("refused");
    assert!(matches!(error, RedisError::Cluster), "{error:?}");
}
