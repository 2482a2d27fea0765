//! Servers that are killed or stalled, and connections that are cut.

use std::time::{Duration, Instant};

use mcp_server::{Bus, EventStore, StoreError, ValueStore};
use mcp_stores::Postgres;
use tokio::time::{sleep, timeout};

use super::{LONG, STREAM, append, cluster_or_return, put};

/// Calls an operation until it succeeds, as the callers of stores do.
async fn eventually<T>(operation: impl AsyncFn() -> Result<T, StoreError>) -> T {
    let started = Instant::now();
    loop {
        match operation().await {
            Ok(done) => return done,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(10), "{error:?}"),
        }
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn data_survives_a_server_that_was_killed() {
    let mut cluster = cluster_or_return!();
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
    store.open(STREAM, b"", LONG).await.expect("opened");
    let start = store.receive(None).await.expect("received").position;
    append(&store, 1).await;
    store.publish(b"1").await.expect("published");

    cluster.kill();
    let error = store.get("key").await.err();
    assert!(matches!(error, Some(StoreError::Failed(_))), "{error:?}");
    cluster.run();

    let value = eventually(async || store.get("key").await).await;
    assert_eq!(value.map(|it| it.value), Some(b"value".to_vec()));
    append(&store, 2).await;
    let page = store.read(STREAM, 0).await.expect("read").expect("known");
    assert_eq!(page.events.len(), 2);
    store.publish(b"2").await.expect("published");
    let page = store.receive(Some(&start)).await.expect("received");
    assert_eq!(
        (page.missed, page.messages),
        (false, vec![b"1".to_vec(), b"2".to_vec()])
    );
}

#[tokio::test]
async fn calls_of_a_stalled_server_time_out_and_work_afterwards() {
    let cluster = cluster_or_return!();
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
    let position = store.receive(None).await.expect("received").position;
    let started = Instant::now();
    cluster.stop();
    // More calls than connections, of which some wait for a connection.
    let gets = (0..20).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.get("key").await.err() })
    });
    let gets: Vec<_> = gets.collect();
    let failed = store.receive(Some(&position)).await.err();
    assert!(
        matches!(failed, Some(StoreError::TimedOut(_))),
        "{failed:?}"
    );
    for get in gets {
        let failed = get.await.expect("ended");
        assert!(
            matches!(failed, Some(StoreError::TimedOut(_))),
            "{failed:?}"
        );
    }
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
    cluster.resume();

    let resumed = Instant::now();
    let value = eventually(async || store.get("key").await).await;
    assert!(value.is_some());
    assert!(
        resumed.elapsed() < Duration::from_secs(3),
        "{:?}",
        resumed.elapsed()
    );
    store.publish(b"1").await.expect("published");
    let page = store.receive(Some(&position)).await.expect("received");
    assert_eq!((page.missed, page.messages), (false, vec![b"1".to_vec()]));
}

#[tokio::test]
async fn readers_miss_nothing_while_connections_are_cut() {
    const ROUNDS: u8 = 5;
    let cluster = cluster_or_return!();
    let client = cluster.client().await;
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    let writer = Postgres::connect(&cluster.url()).await.expect("connected");
    store.open(STREAM, b"", LONG).await.expect("opened");
    let mut position = store.receive(None).await.expect("received").position;

    let read = async {
        let mut events: Vec<u64> = Vec::new();
        while events.len() < ROUNDS.into() {
            let after = events.last().copied().unwrap_or(0);
            let page = eventually(async || store.read(STREAM, after).await).await;
            let page = page.expect("the stream is known");
            events.extend(page.events.into_iter().map(|(number, _)| number));
        }
        events
    };
    let receive = async {
        let mut messages = Vec::new();
        while messages.len() < ROUNDS.into() {
            let page = eventually(async || store.receive(Some(&position)).await).await;
            assert!(!page.missed);
            position = page.position;
            messages.extend(page.messages.into_iter().flatten());
        }
        messages
    };
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'mcp-server'";
    let started = Instant::now();
    let write = async {
        for number in 1..=ROUNDS {
            sleep(Duration::from_millis(200)).await;
            let connections: i64 = client.query_one(cut, &[]).await.expect("cut").get(0);
            assert!(connections > 0);
            sleep(Duration::from_millis(50)).await;
            // Not tried again by the test.
            append(&writer, number).await;
            writer.publish(&[number]).await.expect("published");
            writer.put(put("key", &[number])).await.expect("written");
        }
    };
    let (events, messages, ()) = tokio::join!(read, receive, write);
    let expected: Vec<u8> = (1..=ROUNDS).collect();
    assert_eq!(messages, expected);
    let numbers: Vec<u64> = expected.into_iter().map(u64::from).collect();
    assert_eq!(events, numbers);
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );

    // The connection that listens is back.
    sleep(Duration::from_secs(2)).await;
    let started = Instant::now();
    let publish = async {
        sleep(Duration::from_millis(300)).await;
        writer.publish(b"last").await.expect("published");
    };
    let (page, ()) = tokio::join!(store.receive(Some(&position)), publish);
    assert_eq!(page.expect("received").messages, [b"last"]);
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn calls_that_were_dropped_do_not_delay_others() {
    let cluster = cluster_or_return!();
    let client = cluster.client().await;
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
    let lock = "BEGIN; LOCK TABLE mcp.values IN EXCLUSIVE MODE";
    client.batch_execute(lock).await.expect("locked");
    for _ in 0..10 {
        let write = timeout(Duration::from_millis(50), store.put(put("key", b"late"))).await;
        assert!(write.is_err(), "not locked");
    }
    let read = timeout(Duration::from_secs(2), store.get("key")).await;
    let read = read.expect("in time").expect("read");
    assert_eq!(read.map(|it| it.value), Some(b"value".to_vec()));
    client.batch_execute("COMMIT").await.expect("unlocked");
    store.put(put("key", b"new")).await.expect("written");
}
