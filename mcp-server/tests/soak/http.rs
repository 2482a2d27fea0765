//! Both eras on one endpoint, over connections of both versions of HTTP.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::mix::{Era, Expect, FollowUp, Mix, PlannedRequest, said};
use super::process::MeasuredProcess;
use super::wire::{Messages, Wire, post, request};

const ROUNDS: usize = 10;
const ROUND: u64 = 2_500;
const WARM: usize = 3;
/// The number of requests that wait in the server during a round.
const HELD: usize = 900;
/// The number of connections for one request at a time, and of those for many.
const ONES: usize = 64;
const TWOS: usize = 8;
/// Longer than a round.
const TIMEOUT: Duration = Duration::from_secs(120);
/// In seven rounds of 3,400 requests, a leak of 64 bytes per request would be larger.
const GROWTH: u64 = 3 << 19;

/// The state that all tasks of a round share.
struct HttpLoad {
    address: SocketAddr,
    session: String,
    mix: Arc<Mutex<Mix>>,
    twos: Vec<Wire>,
}

impl HttpLoad {
    /// Starts a session.
    async fn begin(address: SocketAddr, mix: &Arc<Mutex<Mix>>) -> Arc<Self> {
        let mut twos = Vec::new();
        for _ in 0..TWOS {
            twos.push(Wire::http2(address).await);
        }
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "soak", "version": "1" },
        });
        let hello =
            json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params });
        let hello = request("POST", address, None, hello.to_string());
        let mut answer = twos[0].send(hello).await;
        let session = answer.header("mcp-session-id").expect("a session");
        let client = Self {
            address,
            session: session.to_owned(),
            mix: Arc::clone(mix),
            twos,
        };
        let answer = answer.next().await.expect("an answer");
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        client
            .tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        Arc::new(client)
    }

    fn http2(&self, at: usize) -> Wire {
        self.twos[at % TWOS].again()
    }

    /// Sends a message without a response, in the session.
    async fn tell(&self, message: &Value) {
        let message = request(
            "POST",
            self.address,
            Some(&self.session),
            message.to_string(),
        );
        let mut response = self.http2(0).send(message).await;
        assert_eq!(response.status(), 202);
        assert_eq!(response.next().await, None);
    }

    fn mix<T>(&self, make: impl FnOnce(&mut Mix) -> T) -> T {
        make(&mut self.mix.lock().expect("no panic"))
    }

    /// Sends a request and the ones that follow from it. Returns `false` if a stream was left
    /// before its end.
    async fn fire(&self, shot: PlannedRequest, wire: &mut Wire) -> bool {
        let mut next = Some(shot);
        while let Some(shot) = next.take() {
            let mut messages = wire.send(post(&shot, self.address, &self.session)).await;
            if let Expect::Subscription(uri) = &shot.expect {
                self.subscribed(&mut messages, &shot, uri).await;
                return false;
            }
            let then = self.answer(&mut messages, &shot).await;
            let then = then.unwrap_or_else(|| panic!("no answer to {shot:?}"));
            next = self.mix(|mix| mix.follow(&shot, then));
        }
        true
    }

    /// Records the response, if any, and the messages before it.
    async fn answer(&self, messages: &mut Messages, shot: &PlannedRequest) -> Option<FollowUp> {
        let (mut logged, mut then) = (0, None);
        while let Some(message) = messages.next().await {
            assert_eq!(then, None, "after the response to {shot:?}: {message}");
            let params = &message["params"];
            match message["method"].as_str() {
                None => {
                    assert_eq!(message["id"], *shot.id());
                    then = Some(shot.check(&message, logged));
                }
                Some("elicitation/create") => {
                    let Expect::Word(asked, word) = &shot.expect else {
                        panic!("{message} to {shot:?}");
                    };
                    assert_eq!(params["message"], *asked);
                    let id = &message["id"];
                    self.tell(&json!({ "jsonrpc": "2.0", "id": id, "result": said(word) }))
                        .await;
                }
                Some("notifications/message") => {
                    let arguments = &shot.message["params"]["arguments"];
                    let text = arguments["text"].as_str().expect("text");
                    assert_eq!(params["data"], format!("{text}:{logged}"));
                    logged += 1;
                }
                Some("notifications/progress") => {
                    assert_eq!(params["progressToken"], *shot.id());
                }
                Some(_) => panic!("{message} to {shot:?}"),
            }
        }
        then
    }

    async fn subscribed(&self, messages: &mut Messages, shot: &PlannedRequest, uri: &str) {
        let id = |message: &Value| {
            message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()
        };
        let first = messages.next().await.expect("an acknowledgement");
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(id(&first), *shot.id());
        let touch = self.mix(|mix| mix.touch(Era::Modern, uri));
        let touched = self.http2(1).send(post(&touch, self.address, "")).await;
        let (mut touched, touch) = (touched, touch);
        assert_eq!(
            self.answer(&mut touched, &touch).await,
            Some(FollowUp::Done)
        );
        let received = messages.next().await.expect("a change");
        assert_eq!(received["params"]["uri"], *uri);
        assert_eq!(id(&received), *shot.id());
    }

    /// Returns the number of handlers that are waiting, and that have waited.
    async fn count(&self) -> (u64, u64) {
        let expect = Expect::Counted(0);
        let shot = self.mix(|mix| mix.tool(Era::Modern, "count", json!({}), expect));
        let mut answer = self.http2(0).send(post(&shot, self.address, "")).await;
        let answer = answer.next().await.expect("an answer");
        let counted = &answer["result"]["structuredContent"];
        let number = |name: &str| counted[name].as_u64().expect("a number");
        (number("there"), number("began"))
    }

    /// Records changes until the session ends.
    async fn listen(self: Arc<Self>) {
        let get = request("GET", self.address, Some(&self.session), String::new());
        let mut messages = self.http2(2).send(get).await;
        assert_eq!(messages.status(), 200);
        while let Some(message) = messages.next().await {
            assert_eq!(message["method"], "notifications/resources/updated");
        }
    }

    async fn round(self: Arc<Self>) {
        let listening = tokio::spawn(Arc::clone(&self).listen());
        let (_, before) = self.count().await;
        let (group, shots) = self.mix(|mix| mix.hold(HELD));
        let mut kept = JoinSet::new();
        let (mut dropped, mut cancelled) = (JoinSet::new(), Vec::new());
        for (at, shot) in shots.into_iter().enumerate() {
            let modern = shot.era == Era::Modern;
            let chosen = at % 10 == 0;
            let id = shot.id().clone();
            let held = Arc::clone(&self).held(at, shot);
            if chosen && modern {
                dropped.spawn(held);
            } else {
                let cancel = chosen.then(|| cancelled.push(id)).is_some();
                kept.spawn(async move { (held.await, cancel) });
            }
        }
        while self.count().await.1 < before + HELD as u64 {
            tokio::task::yield_now().await;
        }
        dropped.shutdown().await;
        for id in cancelled {
            let params = json!({ "requestId": id });
            let method = "notifications/cancelled";
            self.tell(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
                .await;
        }
        self.mixed().await;
        let free = self.mix(|mix| mix.free(group));
        assert!(self.fire(free, &mut self.http2(0)).await);
        while let Some(held) = kept.join_next().await {
            let (answered, cancel) = held.expect("no panic");
            assert_eq!(answered, !cancel);
        }
        // Handlers of dropped requests end when the server notices it.
        while self.count().await.0 > 0 {
            tokio::task::yield_now().await;
        }
        let end = request("DELETE", self.address, Some(&self.session), String::new());
        assert_eq!(self.http2(0).send(end).await.status(), 204);
        listening.await.expect("no panic");
    }

    /// Returns `true` if a waiting request is answered.
    async fn held(self: Arc<Self>, at: usize, shot: PlannedRequest) -> bool {
        let request = post(&shot, self.address, &self.session);
        let mut messages = self.http2(at).send(request).await;
        self.answer(&mut messages, &shot).await.is_some()
    }

    async fn mixed(self: &Arc<Self>) {
        let last = self.mix(|mix| mix.made()) + ROUND;
        let mut workers = JoinSet::new();
        for _ in 0..ONES {
            let client = Arc::clone(self);
            workers.spawn(async move {
                let mut wire = Wire::http1(client.address).await;
                while client.mix(|mix| mix.made()) < last {
                    let shot = client.mix(Mix::any);
                    if !client.fire(shot, &mut wire).await {
                        wire = Wire::http1(client.address).await;
                    }
                }
            });
        }
        while let Some(worked) = workers.join_next().await {
            worked.expect("no panic");
        }
    }
}

#[tokio::test]
async fn many_requests_over_http_get_one_response_each_and_leave_no_state() {
    let mut process = MeasuredProcess::start("http");
    let address = process.first_line().parse().expect("an address");
    let mix = Arc::new(Mutex::new(Mix::new(2)));
    for _ in 0..ROUNDS {
        let round = async { HttpLoad::begin(address, &mix).await.round().await };
        let round = tokio::time::timeout(TIMEOUT, round).await;
        round.expect("an answer is missing");
        process.record_memory();
    }
    process.assert_constant(WARM, GROWTH);
}
