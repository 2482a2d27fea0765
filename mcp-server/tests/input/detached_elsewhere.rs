//! Calls that outlive the rounds of their request, in one of several processes with a store.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::{
    Context, HandlerError, Limits, Put, PutOutcome, Server, StoreError, StoreFuture, ValueStore,
    VersionedValue,
};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use super::detached::{Counts, answer, builder, confirmed, ended, forms};
use crate::support::peer::{Peer, soon};

#[tokio::test]
async fn any_process_with_the_store_serves_the_next_round() {
    let (counts, store) = (Counts::default(), mcp_server::Memory::new());
    let process = || {
        let keys = mcp_server::Keys::from_bytes([7; 32]);
        let server = builder(&counts).store(store.clone()).keys(keys);
        server.build().unwrap()
    };
    let (one, two) = (process(), process());
    let (mut one, mut two) = (forms(Peer::modern(&one)), forms(Peer::modern(&two)));
    let first = one.result("tools/call", json!({ "name": "order" })).await;
    let second = answer("first", &first["requestState"]);
    let second = two.result("tools/call", second).await;
    assert!(second["inputRequests"]["second"].is_object(), "{second}");
    let last = answer("second", &second["requestState"]);
    let last = two.result("tools/call", last).await;
    assert_eq!(last["content"][0]["text"], "true true", "{last}");
    assert_eq!(counts.get(), [3, 1, 1]);
}

#[tokio::test]
async fn call_of_a_process_that_has_ended_is_refused() {
    let (counts, store) = (Counts::default(), mcp_server::Memory::new());
    let process = || {
        let keys = mcp_server::Keys::from_bytes([7; 32]);
        let server = builder(&counts).store(store.clone()).keys(keys);
        server
            .limits(Limits::default().grace_time(Duration::ZERO))
            .build()
            .unwrap()
    };
    let (one, two) = (process(), process());
    let mut peer = forms(Peer::modern(&one));
    let first = peer.result("tools/call", json!({ "name": "order" })).await;
    one.shutdown();
    ended(&counts).await;
    let mut other = forms(Peer::modern(&two));
    let retry = answer("first", &first["requestState"]);
    let refused = other.request("tools/call", retry).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(counts.get()[1..], [1, 1]);
}

/// Tells why a call was cancelled, when it ends.
struct Reason(Context, mpsc::UnboundedSender<Option<String>>);

impl Drop for Reason {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.cancel_reason().map(str::to_owned));
    }
}

/// Returns two processes with a store. Their tool asks once, and then never ends.
fn endless(asked: &Arc<Notify>, reasons: &mpsc::UnboundedSender<Option<String>>) -> [Server; 2] {
    let store = mcp_server::Memory::new();
    [(); 2].map(|()| {
        let (asked, reasons) = (Arc::clone(asked), reasons.clone());
        let call = move |cx: Context| {
            let (asked, reasons) = (Arc::clone(&asked), reasons.clone());
            async move {
                cx.detached("order", async move |cx: Context| {
                    let _reason = Reason(cx.clone(), reasons);
                    confirmed(&cx, "first").await?;
                    asked.notify_one();
                    std::future::pending::<Result<String, HandlerError>>().await
                })
                .await
            }
        };
        let keys = mcp_server::Keys::from_bytes([7; 32]);
        let builder = Server::builder("test", "1").tool("order", "Orders", call);
        let limits = Limits::default().grace_time(Duration::ZERO);
        let builder = builder.store(store.clone()).keys(keys).limits(limits);
        builder.build().unwrap()
    })
}

#[tokio::test]
async fn cancellation_reaches_the_process_that_runs_the_call() {
    let (asked, (reasons, mut ended)) = (Arc::default(), mpsc::unbounded_channel());
    let [one, two] = endless(&asked, &reasons);
    let (mut one, mut two) = (forms(Peer::modern(&one)), forms(Peer::modern(&two)));
    let first = one.result("tools/call", json!({ "name": "order" })).await;
    let retry = answer("first", &first["requestState"]);
    let id = two.start("tools/call", retry).await;
    soon(asked.notified()).await;
    let params = json!({ "requestId": id, "reason": "the user left" });
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params,
    });
    two.send(cancelled).await;
    let reason = soon(ended.recv()).await.expect("a reason");
    assert_eq!(reason.as_deref(), Some("the user left"));
}

#[tokio::test(start_paused = true)]
async fn call_whose_process_ends_after_it_has_taken_the_answers_is_refused() {
    let (asked, (reasons, _ended)) = (Arc::default(), mpsc::unbounded_channel());
    let [one, two] = endless(&asked, &reasons);
    let mut other = forms(Peer::modern(&two));
    let first = forms(Peer::modern(&one))
        .result("tools/call", json!({ "name": "order" }))
        .await;
    let retry = answer("first", &first["requestState"]);
    other.start("tools/call", retry).await;
    soon(asked.notified()).await;
    // Longer than a process is taken to run that does not record it.
    tokio::time::sleep(Duration::from_secs(100)).await;
    one.shutdown();
    let refused = other.receive().await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("the call has ended"), "{message}");
}

#[tokio::test]
async fn messages_of_a_round_in_another_process_reach_the_client() {
    let store = mcp_server::Memory::new();
    let process = || {
        let call = async |cx: Context| {
            cx.detached("order", async |cx: Context| {
                confirmed(&cx, "first").await?;
                for number in 0..3 {
                    cx.log(mcp_server::types::LoggingLevel::Info, "order", number)
                        .await?;
                }
                cx.progress(1, 2, "asked").await?;
                // Longer than the other process needs to read the messages.
                tokio::time::sleep(Duration::from_millis(500)).await;
                cx.log(mcp_server::types::LoggingLevel::Info, "order", 3)
                    .await?;
                Ok::<_, HandlerError>("done".to_owned())
            })
            .await
        };
        let builder = Server::builder("test", "1").tool("order", "Orders", call);
        let keys = mcp_server::Keys::from_bytes([7; 32]);
        builder.store(store.clone()).keys(keys).build().unwrap()
    };
    let (one, two) = (process(), process());
    let (mut one, mut two) = (forms(Peer::modern(&one)), forms(Peer::modern(&two)));
    let mut params = json!({ "name": "order" });
    let meta = |token: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
            "io.modelcontextprotocol/logLevel": "info",
            "progressToken": token,
        })
    };
    params["_meta"] = meta("of the first round");
    let first = one.result("tools/call", params).await;
    let mut retry = answer("first", &first["requestState"]);
    retry["_meta"] = meta("of the second round");
    let id = two.start("tools/call", retry).await;
    let mut received = Vec::new();
    let text = loop {
        let message = two.receive().await;
        if message["id"] == id {
            break message["result"]["content"][0]["text"].clone();
        }
        let params = &message["params"];
        received.push(if message["method"] == "notifications/progress" {
            params["progressToken"].clone()
        } else {
            params["data"].clone()
        });
    };
    assert_eq!(text, "done");
    let expected = [
        json!(0),
        json!(1),
        json!(2),
        json!("of the second round"),
        json!(3),
    ];
    assert_eq!(received, expected);
}

/// A store that refuses large values.
struct Narrow(mcp_server::Memory);

impl ValueStore for Narrow {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        self.0.get(key)
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        if put.value.len() > 16 << 10 {
            return Box::pin(async { Err(StoreError::failed("too large")) });
        }
        self.0.put(put)
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        self.0.remove(key)
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        self.0.keys(group, most)
    }
}

#[tokio::test]
async fn messages_that_the_store_refuses_do_not_keep_the_result() {
    let store = mcp_server::Memory::new();
    let process = || {
        let call = async |cx: Context| {
            cx.detached("order", async |cx: Context| {
                confirmed(&cx, "first").await?;
                for _ in 0..32 {
                    let text = "x".repeat(1024);
                    cx.log(mcp_server::types::LoggingLevel::Info, "order", text)
                        .await?;
                }
                Ok::<_, HandlerError>("done".to_owned())
            })
            .await
        };
        let builder = Server::builder("test", "1").tool("order", "Orders", call);
        let keys = mcp_server::Keys::from_bytes([7; 32]);
        let narrow = Arc::new(Narrow(store.clone()));
        builder.value_store(narrow).keys(keys).build().unwrap()
    };
    let (one, two) = (process(), process());
    let (mut one, mut two) = (forms(Peer::modern(&one)), forms(Peer::modern(&two)));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        "io.modelcontextprotocol/logLevel": "info",
    });
    let first = json!({ "name": "order", "_meta": meta });
    let first = one.result("tools/call", first).await;
    let mut retry = answer("first", &first["requestState"]);
    retry["_meta"] = meta;
    let last = two.result("tools/call", retry).await;
    assert_eq!(last["content"][0]["text"], "done", "{last}");
}
