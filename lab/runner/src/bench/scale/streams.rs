//! Sessions and open streams, many at the same time.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use tokio::task::JoinSet;

use super::connection::Connection;

/// How many streams are opened at the same time.
const AT_ONCE: usize = 64;
/// The number of connections that start sessions.
const STARTING: usize = 16;
/// The number of resources that change.
pub(super) const RESOURCES: usize = 1_000;
/// The resource that all streams are subscribed to.
pub(super) const COMMON: &str = "test://template/all/data";

const UPDATED: &[u8] = b"notifications/resources/updated";

/// What all streams received.
pub(super) struct Received {
    start: Instant,
    /// When each resource was changed, in microseconds since the start.
    changed: Vec<AtomicU64>,
    pub(super) count: AtomicU64,
    /// When the last notification arrived, in microseconds since the start.
    last: AtomicU64,
    /// The times from changes to notifications in microseconds.
    latencies: Mutex<Vec<u64>>,
}

impl Received {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            changed: (0..RESOURCES).map(|_| AtomicU64::new(0)).collect(),
            count: AtomicU64::new(0),
            last: AtomicU64::new(0),
            latencies: Mutex::default(),
        })
    }

    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Records that a resource is about to be changed.
    pub(super) fn changing(&self, resource: usize) {
        self.changed[resource].store(self.now(), Ordering::Relaxed);
    }

    fn add(&self, resource: usize, count: u64) {
        let now = self.now();
        self.count.fetch_add(count, Ordering::Relaxed);
        self.last.store(now, Ordering::Relaxed);
        let latency = now - self.changed[resource].load(Ordering::Relaxed);
        self.all_latencies(|all| all.extend((0..count).map(|_| latency)));
    }

    fn all_latencies<T>(&self, f: impl FnOnce(&mut Vec<u64>) -> T) -> T {
        f(&mut self
            .latencies
            .lock()
            .unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes and returns the latencies, the shortest first.
    pub(super) fn take_latencies(&self) -> Vec<u64> {
        let mut all = self.all_latencies(std::mem::take);
        all.sort_unstable();
        all
    }

    /// Waits until this number of notifications has arrived. Returns when the last one arrived, in
    /// microseconds since the start.
    pub(super) async fn wait(&self, count: u64) -> Result<u64> {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let arrived = self.count.load(Ordering::Relaxed);
            if arrived >= count {
                return Ok(self.last.load(Ordering::Relaxed));
            }
            ensure!(Instant::now() < end, "{arrived} of {count} notifications");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Returns the URI of a resource.
pub(super) fn uri(resource: usize) -> String {
    format!("test://template/{resource}/data")
}

/// Opens streams of `subscriptions/listen`. Each is subscribed to one of the resources and to a common
/// one. They are closed when the returned value is dropped.
pub(super) async fn listen(
    server: SocketAddr,
    count: usize,
    received: &Arc<Received>,
) -> Result<JoinSet<()>> {
    let mut streams = JoinSet::new();
    for (at, mut connection) in open(server, count, None).await? {
        let (received, resource) = (Arc::clone(received), at % RESOURCES);
        streams.spawn(async move {
            while let Ok(count) = connection.count(UPDATED).await {
                if count > 0 {
                    received.add(resource, count);
                }
            }
        });
    }
    Ok(streams)
}

/// Starts sessions of 2025-11-25, and returns their ids.
pub(super) async fn start_sessions(server: SocketAddr, count: usize) -> Result<Vec<String>> {
    let mut starting = JoinSet::new();
    for at in 0..STARTING {
        starting.spawn(async move {
            let mut connection = Connection::open(server, at).await?;
            let mut ids = Vec::new();
            for _ in (at..count).step_by(STARTING) {
                ids.push(start_session(&mut connection).await?);
            }
            anyhow::Ok(ids)
        });
    }
    let ids: Result<Vec<_>> = starting.join_all().await.into_iter().collect();
    Ok(ids?.concat())
}

async fn start_session(connection: &mut Connection) -> Result<String> {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "bench", "version": "1"},
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    connection.post("", &request).await?;
    let head = connection.response().await?;
    head.expect("200")?;
    let id = head.header("mcp-session-id").context("no session")?;
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    connection.post(&of_session(id), &done).await?;
    connection.response().await?.expect("202")?;
    Ok(id.to_owned())
}

fn of_session(id: &str) -> String {
    format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25\r\n")
}

/// Opens the stream of announcements of each session, or without sessions as many subscriptions.
/// Returns the connections with their numbers.
pub(super) async fn open(
    server: SocketAddr,
    count: usize,
    sessions: Option<&[String]>,
) -> Result<Vec<(usize, Connection)>> {
    let mut opening = JoinSet::new();
    let mut opened = Vec::with_capacity(count);
    for at in 0..count {
        if opening.len() == AT_ONCE {
            let next = opening.join_next().await.context("no stream")?;
            opened.push(next??);
        }
        match sessions {
            None => opening.spawn(open_subscription(server, at)),
            Some(ids) => opening.spawn(open_announcements(server, at, ids[at].clone())),
        };
    }
    let rest: Result<Vec<_>> = opening.join_all().await.into_iter().collect();
    opened.extend(rest?);
    Ok(opened)
}

async fn open_subscription(server: SocketAddr, at: usize) -> Result<(usize, Connection)> {
    let mut connection = Connection::open(server, at).await?;
    let uris = [uri(at % RESOURCES), COMMON.to_owned()];
    let filter = json!({"notifications": {"resourceSubscriptions": uris}});
    connection.request("subscriptions/listen", filter).await?;
    connection.head().await?.expect("200")?;
    connection.until(b"acknowledged").await?;
    Ok((at, connection))
}

async fn open_announcements(
    server: SocketAddr,
    at: usize,
    id: String,
) -> Result<(usize, Connection)> {
    let mut connection = Connection::open(server, at).await?;
    connection.send("GET", &of_session(&id), "").await?;
    connection.head().await?.expect("200")?;
    Ok((at, connection))
}
