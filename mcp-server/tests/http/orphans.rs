//! Clients whose process has ended go on at another one.

use std::sync::Arc;

use mcp_server::{Memory, Put, PutOutcome, Server, StoreFuture, ValueStore, VersionedValue};

use super::legacy::*;
use super::subject::*;

/// A store in which no process is recorded as running.
struct NobodyRuns(Memory);

impl ValueStore for NobodyRuns {
    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        self.0.put(put)
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        if key.starts_with("process:") {
            return Box::pin(std::future::ready(Ok(None)));
        }
        self.0.get(key)
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        self.0.remove(key)
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.0.keys(group, most)
    }
}

/// Two processes, each of which looks dead to the other.
fn strangers() -> [(Server, Probe); 2] {
    let memory = Memory::new();
    let values = Arc::new(NobodyRuns(memory.clone()));
    [(); 2].map(|()| server(|builder| builder.store(memory.clone()).value_store(values.clone())))
}

#[tokio::test]
async fn request_of_a_process_that_has_ended_is_answered_with_an_error() {
    tokio::time::pause();
    let [(one, _probe), (two, _other)] = strangers();
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    let mut raw = start(at_one, &session, &tool(3, "say_and_wait")).await;
    raw.head().await;
    let read = raw.chunk().await;
    let resume = with_header(session.clone(), "Last-Event-ID", ids(&read)[0]);
    for _ in 0..2 {
        let mut raw = Raw::connect(at_two).await;
        raw.request("GET", &resume, "").await;
        let head = raw.head().await;
        let body = raw.body(&head).await;
        let lost = "the process that served the request has ended";
        assert!(body.contains(lost) && body.contains("\"id\":3"), "{body}");
    }
}

#[tokio::test]
async fn request_of_a_process_that_runs_is_waited_for() {
    tokio::time::pause();
    let store = Memory::new();
    let (one, probe) = server(|builder| builder.store(store.clone()));
    let (two, _other) = server(|builder| builder.store(store.clone()));
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    let mut raw = start(at_one, &session, &tool(3, "say_and_wait")).await;
    raw.head().await;
    let read = raw.chunk().await;
    let resume = with_header(session.clone(), "Last-Event-ID", ids(&read)[0]);
    let mut raw = Raw::connect(at_two).await;
    raw.request("GET", &resume, "").await;
    let head = raw.head().await;
    // Longer than any process may go without recording that it runs.
    tokio::time::sleep(std::time::Duration::from_secs(120)).await;
    probe.go.notify_one();
    let body = raw.body(&head).await;
    assert!(body.contains("said and waited"), "{body}");
}

#[tokio::test]
async fn announcements_continue_at_another_process() {
    let [(one, _probe), (two, _other)] = strangers();
    let (at_one, at_two) = (serve(&one), serve(&two));
    let session = start_session(at_one, "2025-11-25").await;
    let mut raw = listen(at_one, &session).await;
    one.tools_changed();
    let read = raw.chunks_until("tools/list_changed").await;
    let last = with_header(session.clone(), "Last-Event-ID", ids(&read)[0]);
    drop(raw);
    let mut raw = Raw::connect(at_two).await;
    raw.request("GET", &last, "").await;
    raw.head().await;
    // What changed before the client arrived is not known here.
    raw.chunks_until("prompts/list_changed").await;
    two.resource_updated("test://a");
    two.tools_changed();
    raw.chunks_until("tools/list_changed").await;
}
