//! Detached calls that change while their process takes the answers that another one has.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::{
    Context, HandlerError, Keys, Memory, Put, PutOutcome, Server, StoreFuture, ValueStore,
    VersionedValue,
};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use super::detached::{answer, confirmed, forms};
use crate::support::peer::{Peer, soon};

/// Where the process of a call stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// When it has read the answers.
    Read,
    /// When it has changed them in the store.
    Taken,
}

/// A store that blocks the first operation of one kind on what was given for a call, until the test
/// notifies `go`.
struct Stopping {
    store: Memory,
    at: Option<Stop>,
    stopped: Notify,
    go: Notify,
    /// Notified when something was given for a call.
    given: Notify,
}

impl Stopping {
    fn new(store: &Memory, at: Option<Stop>) -> Arc<Self> {
        Arc::new(Self {
            store: store.clone(),
            at,
            stopped: Notify::new(),
            go: Notify::new(),
            given: Notify::new(),
        })
    }

    async fn stop(&self, at: Stop, key: &str) {
        if self.at == Some(at) && key.starts_with("detached-given:") {
            self.stopped.notify_one();
            self.go.notified().await;
            // Later operations do not stop.
            self.go.notify_one();
        }
    }
}

impl ValueStore for Stopping {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(async move {
            let found = self.store.get(key).await?;
            if found.is_some() {
                self.stop(Stop::Read, key).await;
            }
            Ok(found)
        })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            let outcome = self.store.put(put).await?;
            if put.key.starts_with("detached-given:") {
                self.given.notify_one();
            }
            self.stop(Stop::Taken, put.key).await;
            Ok(outcome)
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let removed = self.store.remove(key).await?;
            self.stop(Stop::Taken, key).await;
            Ok(removed)
        })
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.store.keys(group, most)
    }
}

/// Sends when a call ends, with the reason why it was cancelled.
struct Ended(Context, mpsc::UnboundedSender<Option<String>>);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.cancel_reason().map(str::to_owned));
    }
}

/// Returns a process with a tool that asks one question. The call of the tool ends when the test
/// notifies `done`, whether the question was answered or not.
fn process(
    store: &Arc<Stopping>,
    done: &Arc<Notify>,
    ended: &mpsc::UnboundedSender<Option<String>>,
) -> Server {
    let (done, ended) = (Arc::clone(done), ended.clone());
    let call = move |cx: Context| {
        let (done, ended) = (Arc::clone(&done), ended.clone());
        async move {
            cx.detached("order", async move |cx: Context| {
                let _ended = Ended(cx.clone(), ended);
                let asked = async {
                    confirmed(&cx, "first").await?;
                    std::future::pending::<Result<String, HandlerError>>().await
                };
                tokio::select! {
                    failed = asked => failed,
                    () = done.notified() => Ok("done".to_owned()),
                }
            })
            .await
        }
    };
    let builder = Server::builder("test", "1").tool("order", "Orders", call);
    let builder = builder.value_store(Arc::clone(store) as _);
    builder.keys(Keys::from_bytes([7; 32])).build().unwrap()
}

#[tokio::test]
async fn request_that_is_cancelled_while_its_answers_are_taken_ends_the_call() {
    let (store, done, (ends, mut ended)) =
        (Memory::new(), Arc::default(), mpsc::unbounded_channel());
    let (of_one, of_two) = (
        Stopping::new(&store, Some(Stop::Read)),
        Stopping::new(&store, None),
    );
    let (one, two) = (
        process(&of_one, &done, &ends),
        process(&of_two, &done, &ends),
    );
    let (mut one, mut two) = (forms(Peer::modern(&one)), forms(Peer::modern(&two)));
    let first = one.result("tools/call", json!({ "name": "order" })).await;
    let retry = answer("first", &first["requestState"]);
    let id = two.start("tools/call", retry).await;
    soon(of_two.given.notified()).await;
    soon(of_one.stopped.notified()).await;
    let params = json!({ "requestId": id, "reason": "the user left" });
    two.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    soon(of_two.given.notified()).await;
    of_one.go.notify_one();
    let reason = soon(ended.recv()).await.expect("a reason");
    assert_eq!(reason.as_deref(), Some("the user left"));
}

#[tokio::test]
async fn call_that_ends_while_answers_are_taken_passes_its_result_on() {
    let (store, done, (ends, mut ended)) =
        (Memory::new(), Arc::default(), mpsc::unbounded_channel());
    let (of_one, of_two) = (
        Stopping::new(&store, Some(Stop::Taken)),
        Stopping::new(&store, None),
    );
    let (one, two) = (
        process(&of_one, &done, &ends),
        process(&of_two, &done, &ends),
    );
    let (mut one, mut two) = (forms(Peer::modern(&one)), forms(Peer::modern(&two)));
    let first = one.result("tools/call", json!({ "name": "order" })).await;
    let retry = answer("first", &first["requestState"]);
    two.start("tools/call", retry).await;
    soon(of_one.stopped.notified()).await;
    done.notify_one();
    soon(ended.recv()).await;
    // The process notices it.
    tokio::time::sleep(Duration::from_millis(100)).await;
    of_one.go.notify_one();
    let answered = two.receive().await;
    assert_eq!(
        answered["result"]["content"][0]["text"], "done",
        "{answered}"
    );
}
