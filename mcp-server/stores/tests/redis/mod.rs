//! The store in Redis, with a server of its own for each test.

mod control;
mod failures;
pub(crate) mod server;
#[cfg(feature = "redis-tls")]
mod tls;

use std::error::Error;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_server::{Bus, Condition, EventStore, KeyGroup, Put, StreamKey, ValueStore};
use mcp_stores::{Redis, RedisError, testing};
use tokio::time::sleep;

use self::server::RedisServer;

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

async fn end(store: &Redis) -> String {
    store.receive(None).await.expect("end").position
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_does_what_a_store_has_to_do() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    testing::store(async || connect(&server).await).await;
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
async fn large_messages_replace_older_ones() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let store = connect(&server).await;
    let position = end(&store).await;
    for at in 0..80_u8 {
        let message = vec![at; 1 << 20];
        store.publish(&message).await.expect("published");
    }
    let mut page = store.receive(Some(&position)).await.expect("received");
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

/// Without the notification, a reader waits for two seconds. These readers wait for a part of this time
/// before the messages arrive, so most of them would wait for half a second more. On a busy machine, some do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_readers_share_one_connection() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let (a, b) = (connect(&server).await, connect(&server).await);
    let mut medians = Vec::new();
    for attempt in 0..10 {
        medians.push(median_reader(&server, &a, &b, attempt).await);
        if medians.last() < Some(&Duration::from_millis(250)) {
            break;
        }
        assert!(attempt < 9, "{medians:?}");
    }
    // Unused channels are removed, and the connection with the last one.
    let started = Instant::now();
    while server.command("CLIENT LIST TYPE pubsub").contains("id=") {
        assert!(started.elapsed() < Duration::from_secs(25));
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_a_session_are_bounded() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let store = connect(&server).await;
    for at in 0..70 {
        let stream = StreamKey {
            session: "s",
            stream: &at.to_string(),
        };
        store.open(stream, b"", LONG).await.expect("opened");
        let ends = at % 2 == 1;
        let message = (!ends).then(|| Bytes::from_static(b"event"));
        store
            .append(stream, 1, message, LONG)
            .await
            .expect("appended");
    }
    let streams = server.command("ZCARD mcp:streams:s");
    assert!(streams.starts_with(":64\r\n"), "{streams}");
    // Streams that have ended are removed first.
    for (at, is_known) in [
        ("0", true),
        ("1", false),
        ("2", true),
        ("11", false),
        ("13", true),
    ] {
        let stream = StreamKey {
            session: "s",
            stream: at,
        };
        let page = store.read(stream, 0).await.expect("read");
        assert_eq!(page.is_some(), is_known, "stream {at}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_expires() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let store = Redis::connect_with(&server.url(), "app:")
        .await
        .expect("connected");
    let kept = Duration::from_millis(500);
    let event = Some(Bytes::from_static(b"event"));
    store.open(STREAM, b"", kept).await.expect("opened");
    store
        .append(STREAM, 1, event, kept)
        .await
        .expect("appended");
    let group = Some(KeyGroup { name: "g", most: 9 });
    let write = Put {
        time_to_live: kept,
        group,
        ..put("key", b"value")
    };
    store.put(write).await.expect("written");
    store.publish(b"message").await.expect("published");
    // Redis removes what has expired a little later, so this asks until nothing else is there.
    let started = Instant::now();
    let keys = loop {
        let keys = server.command("KEYS *");
        if keys.starts_with("*3\r\n") || started.elapsed() > Duration::from_secs(30) {
            break keys;
        }
        sleep(Duration::from_millis(100)).await;
    };
    for name in ["app:version\r\n", "app:bus\r\n", "app:bus:latest\r\n"] {
        assert!(keys.contains(name), "{keys}");
    }
    assert!(keys.starts_with("*3\r\n"), "{keys}");
    let expiry = server.command("PTTL app:bus");
    assert!(
        expiry.starts_with(":29") || expiry.starts_with(":28"),
        "{expiry}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_a_stream_are_bounded() {
    let Some(server) = RedisServer::start(&[]) else {
        return;
    };
    let store = connect(&server).await;
    store.open(STREAM, b"", LONG).await.expect("opened");
    let append = async |number: u64, bytes: usize| {
        let message = Some(Bytes::from(vec![b'x'; bytes]));
        let appended = store.append(STREAM, number, message, LONG).await;
        appended.expect("appended");
        let page = store.read(STREAM, 0).await.expect("read").expect("known");
        let fields = server.command("HLEN mcp:stream:7:session:1");
        let events = page.events.len();
        assert!(
            fields.starts_with(&format!(":{}\r\n", events + 5)),
            "{fields}"
        );
        let bytes: usize = page.events.iter().map(|(_, message)| message.len()).sum();
        (page.events[0].0, events, bytes)
    };
    for number in 1..=299 {
        append(number, 1).await;
    }
    assert_eq!(append(300, 1).await, (45, 256, 256));
    for number in 301..=310 {
        append(number, 300 << 10).await;
    }
    assert_eq!(append(311, 300 << 10).await, (309, 3, 900 << 10));
    assert_eq!(append(312, 2 << 20).await, (312, 1, 2 << 20));
    // Events between were not stored.
    assert_eq!(append(320, 1).await, (320, 1, 1));
    assert_eq!(append(321, 1).await, (320, 2, 2));
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
    // A server without TLS.
    let url = server.url_with("hunter2").replace("redis:", "rediss:");
    let error = Redis::connect(&url).await.expect_err("refused");
    let is_expected = match error {
        RedisError::Failed(_) => cfg!(feature = "redis-tls"),
        _ => matches!(error, RedisError::Url),
    };
    assert!(is_expected, "{error:?}");
    assert!(!texts(&error).contains("hunter2"));
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

/// Opens many streams, and reads each. Returns the median of the times between an event and the end of
/// its reader.
async fn median_reader(server: &RedisServer, a: &Redis, b: &Redis, attempt: u32) -> Duration {
    let names: Vec<String> = (0..300).map(|at| format!("{attempt}-{at}")).collect();
    let mut readers = Vec::new();
    for name in &names {
        let stream = StreamKey {
            session: name,
            stream: "1",
        };
        a.open(stream, b"", LONG).await.expect("opened");
        let (store, name) = (b.clone(), name.clone());
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
    let mut appended = Vec::new();
    for name in &names {
        let stream = StreamKey {
            session: name,
            stream: "1",
        };
        let message = Some(Bytes::from_static(b"event"));
        a.append(stream, 1, message, LONG).await.expect("appended");
        appended.push(Instant::now());
    }
    let mut waits = Vec::new();
    for (reader, appended) in readers.into_iter().zip(appended) {
        let (events, read) = reader.await.expect("no panic");
        assert_eq!(events, 1);
        waits.push(read.saturating_duration_since(appended));
    }
    waits.sort_unstable();
    waits[waits.len() / 2]
}
