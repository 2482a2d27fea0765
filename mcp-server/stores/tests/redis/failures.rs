//! Servers that crash, do not answer, or cut connections.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_server::{Bus, EventStore, PutOutcome, StoreError, ValueStore};
use mcp_stores::Redis;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::server::RedisServer;
use super::{LONG, STREAM, connect, end, put};

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
async fn restarted_server_with_a_log_has_lost_nothing() {
    let arguments = ["--appendonly", "yes", "--appendfsync", "always"];
    let Some(mut server) = RedisServer::start(&arguments) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    let outcome = a.put(put("kept", b"value")).await.expect("written");
    a.open(STREAM, b"", LONG).await.expect("opened");
    append(&a, 1, "before").await;
    let position = end(&b).await;
    let (reader, messages) = (read_next(&b, 1), receive(&b, &position, 2));
    sleep(Duration::from_millis(300)).await;
    a.publish(b"before").await.expect("published");

    server.kill();
    for store in [&a, &a, &a, &b] {
        let started = Instant::now();
        assert!(store.get("kept").await.is_err());
        assert!(
            started.elapsed() < Duration::from_millis(1500),
            "{:?}",
            started.elapsed()
        );
    }
    // The reader tries in vain.
    sleep(Duration::from_millis(2500)).await;
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
    store.open(STREAM, b"", LONG).await.expect("opened");
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
async fn server_that_does_not_answer_fails_calls_for_a_while() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    a.open(STREAM, b"", LONG).await.expect("opened");
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
    a.open(STREAM, b"", LONG).await.expect("opened");
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
    for number in 4..=5 {
        let reader = read_next(&b, number - 1);
        sleep(Duration::from_millis(300)).await;
        // Nobody is notified of this event.
        server.command("CLIENT KILL TYPE pubsub");
        append(&a, number, "unnoticed").await;
        let appended = Instant::now();
        assert_eq!(
            soon(reader).await,
            (number, Bytes::from_static(b"unnoticed"))
        );
        assert!(
            appended.elapsed() < Duration::from_secs(1),
            "{:?}",
            appended.elapsed()
        );
    }
    let expected: Vec<_> = (0..3)
        .flat_map(|_| [b"before".to_vec(), b"after".to_vec()])
        .collect();
    assert_eq!(soon(messages).await, expected);
}

/// Connects clients to a port, until it is notified: then nothing passes through these connections
/// any more, and they stay open.
async fn proxy(port: u16) -> (u16, Arc<Notify>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let own_port = listener.local_addr().expect("address").port();
    let silence = Arc::new(Notify::new());
    let all = Arc::clone(&silence);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut server = TcpStream::connect(("127.0.0.1", port))
                .await
                .expect("connected");
            let silence = Arc::clone(&all);
            tokio::spawn(async move {
                tokio::select! {
                    _ = copy_bidirectional(&mut client, &mut server) => {}
                    () = silence.notified() => std::future::pending().await,
                }
            });
        }
    });
    (own_port, silence)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_that_went_silent_is_replaced() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let (port, silence) = proxy(server.port()).await;
    let url = format!("redis://127.0.0.1:{port}");
    let (a, b) = (
        connect(&server).await,
        Redis::connect(&url).await.expect("connected"),
    );
    a.open(STREAM, b"", LONG).await.expect("opened");
    let (reader, messages) = (read_next(&b, 0), receive(&b, &end(&b).await, 1));
    sleep(Duration::from_millis(300)).await;

    silence.notify_waiters();
    let result = b.get("any").await;
    assert!(matches!(result, Err(StoreError::TimedOut(_))), "{result:?}");
    b.get("any").await.expect("read");
    append(&a, 1, "after").await;
    assert_eq!(soon(reader).await, (1, Bytes::from_static(b"after")));
    a.publish(b"after").await.expect("published");
    assert_eq!(soon(messages).await, [b"after".to_vec()]);
}
