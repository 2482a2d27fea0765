//! Sessions leave no state behind, however they end.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_server::{Memory, Put, PutOutcome, StoreFuture, ValueStore, VersionedValue};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::event_store::{Hook, Hooked, Operation};
use super::legacy::*;
use super::subject::*;

/// A store of events that tracks which sessions have events, and that can block before it opens a
/// stream.
#[derive(Default)]
pub(crate) struct Count {
    sessions: Mutex<BTreeSet<String>>,
    slow: Option<Slow>,
}

pub(crate) type Counted = Hooked<Count>;

struct Slow {
    opening: Semaphore,
    go: Semaphore,
}

impl Counted {
    pub(crate) fn counted() -> Arc<Self> {
        Arc::new(Self::new(Count::default()))
    }

    fn slow() -> Arc<Self> {
        Arc::new(Self::new(Count {
            sessions: Mutex::default(),
            slow: Some(Slow {
                opening: Semaphore::new(0),
                go: Semaphore::new(0),
            }),
        }))
    }

    /// Returns the sessions that have events in the store.
    pub(crate) fn sessions(&self) -> Vec<String> {
        self.hook.all().iter().cloned().collect()
    }
}

impl Count {
    fn all(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.sessions.lock().expect("sound")
    }
}

/// Yields to other tasks, like a store over a network.
async fn network() {
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
}

impl Hook for Count {
    fn before<'a>(
        &'a self,
        operation: Operation<'a>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            if let (Operation::Open(..), Some(slow)) = (operation, &self.slow) {
                slow.opening.add_permits(1);
                slow.go.acquire().await.expect("open").forget();
            }
            match operation {
                // Like a store that does not check whether the stream was opened.
                Operation::Open(session, _) | Operation::Append(session, _) => {
                    network().await;
                    self.all().insert(session.to_owned());
                }
                Operation::Remove(session) => {
                    network().await;
                    self.all().remove(session);
                }
                Operation::Read(_) => {}
            }
        })
    }
}

/// A store of values that tracks its sessions. Their age is measured with tokio's clock, which
/// tests advance.
pub(crate) struct CountedSessions {
    values: Memory,
    put: Mutex<BTreeMap<String, Instant>>,
}

impl CountedSessions {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            values: Memory::new(),
            put: Mutex::default(),
        })
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        self.put.lock().expect("sound")
    }

    /// Returns the ids of the sessions in the store.
    pub(crate) fn sessions(&self) -> Vec<String> {
        let all = self.all();
        let ids = all.keys().filter_map(|key| key.strip_prefix("session:"));
        ids.map(str::to_owned).collect()
    }
}

impl ValueStore for CountedSessions {
    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            network().await;
            let outcome = self.values.put(put).await?;
            if let PutOutcome::Written(_) = outcome {
                self.all().insert(put.key.to_owned(), Instant::now());
            }
            Ok(outcome)
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(async move {
            network().await;
            let put = self.all().get(key).copied();
            let (Some(mut found), Some(put)) = (self.values.get(key).await?, put) else {
                return Ok(None);
            };
            if !key.starts_with("session:") {
                return Ok(Some(found));
            }
            let mut value: serde_json::Value = serde_json::from_slice(&found.value).expect("JSON");
            let used = SystemTime::now() - put.elapsed();
            let used = used.duration_since(UNIX_EPOCH).expect("later").as_millis();
            value["used"] = u64::try_from(used).expect("a time").into();
            found.value = value.to_string().into_bytes();
            Ok(Some(found))
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            network().await;
            self.all().remove(key);
            self.values.remove(key).await
        })
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.values.keys(group, most)
    }
}

pub(crate) fn id_of<'a>(session: &'a [(&'static str, String)]) -> &'a str {
    let id = session.iter().find(|(name, _)| *name == "Mcp-Session-Id");
    &id.expect("a session").1
}

#[tokio::test]
async fn delete_during_a_post_leaves_nothing_in_the_event_store() {
    let events = Counted::slow();
    let slow = events.hook.slow.as_ref().expect("slow");
    let (server, _probe) = server(|builder| builder.event_store(events.clone()));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    // The stream of the POST is being added to the store.
    let mut post = start(address, &session, &tool(1, "say_and_wait")).await;
    soon(slow.opening.acquire()).await.expect("open").forget();
    let mut delete = Raw::connect(address).await;
    delete.request("DELETE", &session, "").await;
    // The session ends before the stores have removed it.
    while Raw::post(address, &session, PING).await.0.status != 404 {}
    slow.go.add_permits(16);
    assert_eq!(delete.head().await.status, 204);
    let head = post.head().await;
    post.body(&head).await;
    assert_eq!(events.sessions(), [""; 0]);
}

#[tokio::test]
async fn expired_session_is_removed_without_new_sessions() {
    tokio::time::pause();
    let (events, sessions) = (Counted::counted(), CountedSessions::new());
    let (server, _probe) = server(|builder| {
        let builder = builder.event_store(events.clone());
        builder.value_store(sessions.clone())
    });
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(1, "say")).await;
    let head = raw.head().await;
    raw.body(&head).await;
    assert_eq!(events.sessions(), [id_of(&session)]);
    assert_eq!(sessions.sessions(), [id_of(&session)]);
    tokio::time::sleep(Duration::from_secs(2 * 1_800)).await;
    assert_eq!((events.sessions(), sessions.sessions()), (vec![], vec![]));
}

#[tokio::test]
async fn evicted_session_is_removed_from_the_stores() {
    let (events, sessions) = (Counted::counted(), CountedSessions::new());
    let (server, _probe) = server(|builder| {
        let builder = limits(|limits| limits.sessions = 1)(builder);
        let builder = builder.event_store(events.clone());
        builder.value_store(sessions.clone())
    });
    let address = serve(&server);
    for _ in 0..2 {
        let session = start_session(address, "2025-11-25").await;
        let mut raw = start(address, &session, &tool(1, "say")).await;
        let head = raw.head().await;
        raw.body(&head).await;
        assert_eq!(events.sessions(), [id_of(&session)]);
        assert_eq!(sessions.sessions(), [id_of(&session)]);
    }
}

#[tokio::test]
async fn delete_at_one_process_clears_the_stores_of_another() {
    let bus = Arc::new(Memory::new());
    let (events, sessions) = (Counted::slow(), CountedSessions::new());
    let slow = events.hook.slow.as_ref().expect("slow");
    let server = || {
        server(|builder| {
            let builder = builder.bus(bus.clone()).event_store(events.clone());
            builder.value_store(sessions.clone())
        })
    };
    let ((one, _probe), (two, _other)) = (server(), server());
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    let mut post = start(at_two, &session, &tool(1, "say_and_wait")).await;
    soon(slow.opening.acquire()).await.expect("open").forget();
    let (head, _) = Raw::connect(at_one).await.ask("DELETE", &session, "").await;
    assert_eq!(head.status, 204);
    slow.go.add_permits(16);
    let head = post.head().await;
    post.body(&head).await;
    soon(async {
        while !(events.sessions().is_empty() && sessions.sessions().is_empty()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
