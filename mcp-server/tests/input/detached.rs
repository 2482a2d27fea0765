//! Calls that outlive the rounds of their request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::types::BooleanSchema;
use mcp_server::{Context, Form, HandlerError, Limits, Server, ServerBuilder};
use serde_json::{Value, json};

use crate::support::peer::{Peer, soon};

/// What the handler of the test counts.
#[derive(Clone, Default)]
struct Counts(Arc<[AtomicUsize; 3]>);

impl Counts {
    fn add(&self, which: usize) {
        self.0[which].fetch_add(1, Ordering::SeqCst);
    }

    /// Returns how often the handler began, and how often its call began and ended.
    fn get(&self) -> [usize; 3] {
        [0, 1, 2].map(|which| self.0[which].load(Ordering::SeqCst))
    }
}

struct Ended(Counts);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.add(2);
    }
}

async fn confirmed(cx: &Context, question: &str) -> Result<bool, HandlerError> {
    let form = Form::new(question).required("ok", BooleanSchema::new());
    Ok(cx.elicit(form).key(question).await?.accepted().is_some())
}

fn builder(counts: &Counts) -> ServerBuilder {
    let counts = counts.clone();
    let call = move |cx: Context| {
        let counts = counts.clone();
        async move {
            counts.add(0);
            cx.detached("order", async move |cx: Context| {
                counts.add(1);
                let _ended = Ended(counts);
                cx.progress(1, 3, "began").await?;
                let first = confirmed(&cx, "first").await?;
                cx.progress(2, 3, "asked once").await?;
                let second = confirmed(&cx, "second").await?;
                Ok(format!("{first} {second}"))
            })
            .await
        }
    };
    Server::builder("test", "1").tool("order", "Orders", call)
}

fn forms(mut peer: Peer) -> Peer {
    peer.capabilities = json!({ "elicitation": { "form": {} } });
    peer
}

fn answer(key: &str, state: &Value) -> Value {
    json!({
        "name": "order",
        "inputResponses": { key: { "action": "accept", "content": { "ok": true } } },
        "requestState": state,
    })
}

#[tokio::test]
async fn call_runs_once_however_many_rounds_its_questions_take() {
    let counts = Counts::default();
    let server = builder(&counts).build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    let first = peer.result("tools/call", json!({ "name": "order" })).await;
    assert_eq!(first["resultType"], "input_required", "{first}");
    assert!(first["inputRequests"]["first"].is_object(), "{first}");
    let second = answer("first", &first["requestState"]);
    let second = peer.result("tools/call", second).await;
    assert!(second["inputRequests"]["second"].is_object(), "{second}");
    let last = answer("second", &second["requestState"]);
    let last = peer.result("tools/call", last).await;
    assert_eq!(last["content"][0]["text"], "true true", "{last}");
    assert_eq!(counts.get(), [3, 1, 1]);
}

#[tokio::test]
async fn progress_has_the_token_of_the_round() {
    let counts = Counts::default();
    let limits = Limits::default().progress_interval(Duration::ZERO);
    let server = builder(&counts).limits(limits).build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    let with_token = |mut params: Value, token: &str| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
            "progressToken": token,
        });
        params
    };
    let call = with_token(json!({ "name": "order" }), "one");
    peer.start("tools/call", call).await;
    let progress = peer.receive().await;
    assert_eq!(progress["params"]["progressToken"], "one", "{progress}");
    let first = peer.receive().await;
    let retry = answer("first", &first["result"]["requestState"]);
    peer.start("tools/call", with_token(retry, "two")).await;
    let progress = peer.receive().await;
    assert_eq!(progress["params"]["progressToken"], "two", "{progress}");
    assert_eq!(progress["params"]["message"], "asked once");
}

#[tokio::test]
async fn sessions_run_the_call_in_the_handler() {
    let counts = Counts::default();
    let server = builder(&counts).build().unwrap();
    let mut peer = forms(Peer::raw(&server));
    peer.handshake("2025-11-25").await;
    let id = peer.start("tools/call", json!({ "name": "order" })).await;
    for _ in 0..2 {
        let asked = peer.receive().await;
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let result = json!({ "action": "accept", "content": { "ok": true } });
        peer.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
            .await;
    }
    let answered = peer.receive().await;
    assert_eq!(answered["id"], id);
    assert_eq!(answered["result"]["content"][0]["text"], "true true");
    assert_eq!(counts.get(), [1, 1, 1]);
}

/// Waits until the call has ended.
async fn ended(counts: &Counts) {
    let waiting = async {
        while counts.get()[2] == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(waiting).await;
}

#[tokio::test]
async fn cancelled_request_cancels_its_call() {
    let (begun, counts) = (Arc::new(tokio::sync::Notify::new()), Counts::default());
    let (noted, counted) = (Arc::clone(&begun), counts.clone());
    let call = move |cx: Context| {
        let (noted, counted) = (Arc::clone(&noted), counted.clone());
        async move {
            cx.detached("wait", async move |_: Context| {
                let _ended = Ended(counted);
                noted.notify_one();
                std::future::pending::<Result<String, HandlerError>>().await
            })
            .await
        }
    };
    let server = Server::builder("test", "1").tool("wait", "Waits", call);
    let server = server.build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    let id = peer.start("tools/call", json!({ "name": "wait" })).await;
    soon(begun.notified()).await;
    peer.send(json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }))
    .await;
    ended(&counts).await;
}

#[tokio::test]
async fn call_ends_if_the_client_never_answers_and_its_state_is_refused_then() {
    let counts = Counts::default();
    let limits = Limits::default().state_time(Duration::from_millis(1_500));
    let server = builder(&counts).limits(limits).build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    let first = peer.result("tools/call", json!({ "name": "order" })).await;
    assert_eq!(counts.get(), [1, 1, 0]);
    ended(&counts).await;
    let retry = answer("first", &first["requestState"]);
    let refused = peer.request("tools/call", retry).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(counts.get()[1], 1);
}

#[tokio::test]
async fn next_round_that_reaches_another_process_is_refused_and_the_call_goes_on() {
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
    let refused = two.request("tools/call", second.clone()).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("another process"), "{message}");
    let second = one.result("tools/call", second).await;
    assert!(second["inputRequests"]["second"].is_object(), "{second}");
    assert_eq!(counts.get()[1..], [1, 0]);
}

#[tokio::test]
async fn finished_call_is_gone_and_a_second_use_of_its_state_runs_nothing() {
    let counts = Counts::default();
    let server = builder(&counts).build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    let first = peer.result("tools/call", json!({ "name": "order" })).await;
    let second = answer("first", &first["requestState"]);
    let second = peer.result("tools/call", second).await;
    let last = answer("second", &second["requestState"]);
    peer.result("tools/call", last.clone()).await;
    let again = peer.request("tools/call", last).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    assert_eq!(counts.get()[1..], [1, 1]);
}

#[tokio::test]
async fn number_of_calls_of_a_peer_is_limited() {
    let counts = Counts::default();
    let limits = Limits::default().detached_per_peer(2);
    let server = builder(&counts).limits(limits).build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    for _ in 0..2 {
        let asked = peer.result("tools/call", json!({ "name": "order" })).await;
        assert_eq!(asked["resultType"], "input_required");
    }
    let refused = peer.request("tools/call", json!({ "name": "order" })).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let mut other = forms(Peer::modern(&server));
    let asked = other.result("tools/call", json!({ "name": "order" })).await;
    assert_eq!(asked["resultType"], "input_required");
}

#[tokio::test]
async fn calls_of_one_handler_run_once_whichever_of_them_asks() {
    let counts = Counts::default();
    let counted = counts.clone();
    let call = move |cx: Context| {
        let [quiet, first, second] = [counted.clone(), counted.clone(), counted.clone()];
        async move {
            let quiet = cx.detached("quiet", async move |_: Context| {
                quiet.add(0);
                Ok("done".to_owned())
            });
            quiet.await?;
            let first = cx.detached("first", async move |cx: Context| {
                first.add(1);
                confirmed(&cx, "first").await
            });
            let second = cx.detached("second", async move |cx: Context| {
                second.add(2);
                confirmed(&cx, "second").await
            });
            let (first, second) = tokio::try_join!(first, second)?;
            let last = confirmed(&cx, "last").await?;
            Ok::<_, HandlerError>(format!("{first} {second} {last}"))
        }
    };
    let server = Server::builder("test", "1").tool("order", "Orders", call);
    let server = server.build().unwrap();
    let mut peer = forms(Peer::modern(&server));
    let mut result = peer.result("tools/call", json!({ "name": "order" })).await;
    for _ in 0..3 {
        let Some(asked) = result["inputRequests"].as_object() else {
            break;
        };
        let mut retry = answer("none", &result["requestState"]);
        retry["inputResponses"] = asked
            .keys()
            .map(|key| {
                (
                    key.clone(),
                    json!({ "action": "accept", "content": { "ok": true } }),
                )
            })
            .collect();
        result = peer.result("tools/call", retry).await;
    }
    assert_eq!(result["content"][0]["text"], "true true true", "{result}");
    assert_eq!(counts.get(), [1, 1, 1]);
}
