//! Tables, names and what is removed from tables.

use std::time::{Duration, Instant};

use mcp_server::{Bus, EventStore, ValueStore};
use mcp_stores::{Postgres, PostgresError};
use tokio::time::sleep;
use tokio_postgres::Client;

use super::{LONG, STREAM, append, cluster_or_return, put};

async fn number(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.expect(sql).get(0)
}

#[tokio::test]
async fn expired_rows_are_removed_in_batches_and_tasks_end_with_the_store() {
    let cluster = cluster_or_return!();
    let client = cluster.client().await;
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    store.put(put("kept", b"value")).await.expect("written");
    store.open(STREAM, b"", LONG).await.expect("opened");
    append(&store, 1).await;
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mcp-server'";
    assert!(number(&client, connections).await > 0);
    drop(store);
    let started = Instant::now();
    while number(&client, connections).await > 0 {
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "still connected"
        );
        sleep(Duration::from_millis(50)).await;
    }

    let rows = "
        CREATE TABLE batches (removed bigint);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO batches SELECT count(*) FROM removed; RETURN NULL;
        END $$;
        CREATE TRIGGER note AFTER DELETE ON mcp.values REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION note();
        INSERT INTO mcp.values (key, value, version, expires)
            SELECT 'old ' || n, '', n, now() - interval '1 day' FROM generate_series(1, 1200) AS n;
        INSERT INTO mcp.streams (session, stream, about, expires)
            SELECT 'old', n, '', now() - interval '1 day' FROM generate_series(1, 50) AS n;
        INSERT INTO mcp.events (stream, number, message)
            SELECT id, 1, '' FROM mcp.streams WHERE session = 'old';
        INSERT INTO mcp.messages (id, message, published)
            SELECT n, '', now() - interval '1 hour' FROM generate_series(1, 600) AS n;
        UPDATE mcp.bus SET last = 600;";
    client.batch_execute(rows).await.expect("inserted");
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    assert_eq!(store.get("old 1").await.expect("read"), None);
    let left = "SELECT (SELECT count(*) FROM mcp.values) + (SELECT count(*) FROM mcp.streams)
        + (SELECT count(*) FROM mcp.events) + (SELECT count(*) FROM mcp.messages)";
    let started = Instant::now();
    while number(&client, left).await != 3 {
        assert!(started.elapsed() < Duration::from_secs(10), "not removed");
        sleep(Duration::from_millis(50)).await;
    }
    let batches = "SELECT string_agg(removed::text, ' ') FROM batches WHERE removed > 0";
    let batches: String = client.query_one(batches, &[]).await.expect("rows").get(0);
    assert_eq!(batches, "500 500 200");
    assert!(store.get("kept").await.expect("read").is_some());
    let read = store.read(STREAM, 0).await.expect("read");
    assert_eq!(read.map(|page| page.events.len()), Some(1));
}

#[tokio::test]
async fn a_reader_of_the_bus_learns_what_it_missed() {
    let cluster = cluster_or_return!();
    let client = cluster.client().await;
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    let start = store.receive(None).await.expect("received").position;
    for message in [b"1", b"2", b"3"] {
        store.publish(message).await.expect("published");
    }
    let oldest = "DELETE FROM mcp.messages WHERE message = '1'";
    client.batch_execute(oldest).await.expect("removed");
    let page = store.receive(Some(&start)).await.expect("received");
    assert_eq!((page.missed, page.messages.len()), (true, 2));
    client
        .batch_execute("DELETE FROM mcp.messages")
        .await
        .expect("removed");
    let page = store.receive(Some(&start)).await.expect("received");
    assert_eq!((page.missed, page.messages.len()), (true, 0));

    // The log starts again, and has as many messages as before.
    let lost = "TRUNCATE mcp.messages, mcp.bus";
    client.batch_execute(lost).await.expect("emptied");
    for message in [b"4", b"5", b"6", b"7"] {
        store.publish(message).await.expect("published");
    }
    let page = store.receive(Some(&page.position)).await.expect("received");
    assert_eq!((page.missed, page.messages.len()), (true, 4));
    // A backup was restored.
    let older = "DELETE FROM mcp.messages WHERE id > 2; UPDATE mcp.bus SET last = 2";
    client.batch_execute(older).await.expect("removed");
    let page = store.receive(Some(&page.position)).await.expect("received");
    assert_eq!((page.missed, page.messages.len()), (true, 2));
    store.publish(b"8").await.expect("published");
    let page = store.receive(Some(&page.position)).await.expect("received");
    assert_eq!((page.missed, page.messages), (false, vec![b"8".to_vec()]));
}

#[tokio::test]
async fn a_stream_keeps_256_events_of_at_most_1_mib() {
    let cluster = cluster_or_return!();
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    for (stream, size, expected) in [("small", 1, 256), ("large", 100_000, 10)] {
        let stream = mcp_server::StreamKey { stream, ..STREAM };
        store.open(stream, b"", LONG).await.expect("opened");
        for number in 1..=300 {
            let message = Some(vec![0; size].into());
            let appended = store.append(stream, number, message, LONG).await;
            appended.expect("appended");
        }
        let page = store.read(stream, 0).await.expect("read").expect("known");
        let first = page.events.first().map(|(number, _)| *number);
        assert_eq!(
            (page.events.len(), first),
            (expected, Some(301 - expected as u64))
        );
    }
}

#[tokio::test]
async fn releases_with_the_same_major_version_share_tables() {
    let cluster = cluster_or_return!();
    let client = cluster.client().await;
    let builder = Postgres::builder().schema("Select").table_prefix("group");
    let connect = async || builder.clone().connect(&cluster.url()).await;
    let store = connect().await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
    let newer = r#"UPDATE "Select"."groupschema" SET minor = 99"#;
    client.batch_execute(newer).await.expect("updated");
    let older = connect().await.expect("connected");
    assert!(older.get("key").await.expect("read").is_some());
    let other = Postgres::connect(&cluster.url()).await.expect("connected");
    assert_eq!(other.get("key").await.expect("read"), None);
    let major = r#"UPDATE "Select"."groupschema" SET major = 2"#;
    client.batch_execute(major).await.expect("updated");
    let error = connect().await.err();
    let incompatible = PostgresError::IncompatibleTables {
        found: 2,
        supported: 1,
    };
    assert_eq!(
        error.map(|it| it.to_string()),
        Some(incompatible.to_string())
    );
}

#[tokio::test]
async fn hostile_names_are_rejected() {
    // Rejected before a connection is made.
    let url = "postgres://127.0.0.1:1/postgres";
    let long = "x".repeat(41);
    let hostile = [
        "",
        "a\"; DROP TABLE x; --",
        "a b",
        "1a",
        "pg_a",
        "PG_a",
        "é",
        "a'b",
        "a.b",
        &long,
    ];
    for name in hostile {
        let error = Postgres::builder().schema(name).connect(url).await.err();
        let is_rejected = matches!(
            &error,
            Some(PostgresError::InvalidName { kind: "schema", .. })
        );
        assert!(is_rejected, "{name:?}: {error:?}");
        if name.is_empty() || name.to_lowercase().starts_with("pg_") {
            continue;
        }
        let builder = Postgres::builder().table_prefix(name);
        let error = builder.connect(url).await.err();
        let is_rejected = matches!(&error, Some(PostgresError::InvalidName { .. }));
        assert!(is_rejected, "{name:?}: {error:?}");
    }
}

#[tokio::test]
async fn errors_of_connecting_do_not_show_the_password() {
    let cluster = cluster_or_return!();
    let secret = "s3cr3t";
    let refused = Postgres::connect(&cluster.url_with(secret)).await.err();
    let refused = refused.expect("refused");
    assert!(
        matches!(refused, PostgresError::Authentication(_)),
        "{refused:?}"
    );
    let malformed = format!("postgres://user:x@127.0.0.1:1/database?{secret}=1");
    let malformed = Postgres::connect(&malformed).await.err();
    let malformed = malformed.expect("malformed");
    assert!(
        matches!(malformed, PostgresError::InvalidUrl),
        "{malformed:?}"
    );
    let nobody = format!("postgres://user:{secret}@127.0.0.1:1/database");
    let nobody = Postgres::connect(&nobody)
        .await
        .expect_err("nobody listens");
    assert!(matches!(nobody, PostgresError::Connect(_)), "{nobody:?}");
    for error in [refused, malformed, nobody] {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        let text = format!("{error} {error:?} {source:?}");
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn large_messages_replace_older_ones() {
    let cluster = cluster_or_return!();
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    let end = store.receive(None).await.expect("received").position;
    for at in 0..80_u8 {
        let message = vec![at; 1 << 20];
        store.publish(&message).await.expect("published");
    }
    let mut page = store.receive(Some(&end)).await.expect("received");
    assert!(page.missed);
    let mut firsts = Vec::new();
    loop {
        firsts.extend(page.messages.iter().map(|message| message[0]));
        if firsts.len() >= 64 {
            break;
        }
        page = store.receive(Some(&page.position)).await.expect("received");
        assert!(!page.missed);
    }
    assert_eq!(firsts, (16..80).collect::<Vec<u8>>());
}
