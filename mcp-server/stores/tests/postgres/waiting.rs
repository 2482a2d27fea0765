//! Readers that wait, and notifications.

use std::future::poll_fn;
use std::time::{Duration, Instant};

use mcp_server::{Bus, EventStore};
use mcp_stores::Postgres;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, NoTls};

use super::{LONG, STREAM, append, cluster_or_return};

#[tokio::test]
async fn only_streams_that_are_read_cause_notifications() {
    let cluster = cluster_or_return!();
    let connected = tokio_postgres::connect(&cluster.url(), NoTls).await;
    let (client, mut connection) = connected.expect("connected");
    let (sender, mut notifications) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|task| connection.poll_message(task)).await {
            if let AsyncMessage::Notification(notification) = message {
                let _ = sender.send(notification.payload().to_owned());
            }
        }
    });
    client
        .batch_execute("LISTEN \"mcp.events\"")
        .await
        .expect("listens");
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    store.open(STREAM, b"", LONG).await.expect("opened");
    append(&store, 1).await;
    sleep(Duration::from_millis(300)).await;
    assert!(notifications.try_recv().is_err(), "nobody reads");

    let waiting = timeout(Duration::from_millis(300), store.read(STREAM, 1)).await;
    assert!(waiting.is_err(), "there is no event");
    append(&store, 2).await;
    let name = timeout(Duration::from_secs(5), notifications.recv()).await;
    assert_eq!(name.expect("notified").as_deref(), Some("stream"));
}

#[tokio::test]
async fn readers_wait_for_five_seconds_and_are_woken_by_another_process() {
    let cluster = cluster_or_return!();
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    let other = Postgres::connect(&cluster.url()).await.expect("connected");
    store.open(STREAM, b"", LONG).await.expect("opened");
    let position = store.receive(None).await.expect("received").position;
    let started = Instant::now();
    let (events, messages) = tokio::join!(store.read(STREAM, 0), store.receive(Some(&position)));
    assert!(
        events
            .expect("read")
            .is_some_and(|page| page.events.is_empty())
    );
    let page = messages.expect("received");
    assert!(page.messages.is_empty() && !page.missed);
    let waited = started.elapsed();
    assert!((4.0..7.0).contains(&waited.as_secs_f64()), "{waited:?}");

    let started = Instant::now();
    let write = async {
        sleep(Duration::from_millis(300)).await;
        append(&other, 1).await;
        other.publish(b"1").await.expect("published");
    };
    let read = store.read(STREAM, 0);
    let (events, messages, ()) = tokio::join!(read, store.receive(Some(&page.position)), write);
    assert_eq!(events.expect("read").expect("known").events.len(), 1);
    assert_eq!(messages.expect("received").messages, [b"1"]);
    assert!(started.elapsed() < Duration::from_secs(2), "not woken");
}
