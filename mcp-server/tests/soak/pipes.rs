//! Both eras on one connection, over the pipes of a process.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mix::{Era, Expect, Mix, PlannedRequest, said};
use super::process::MeasuredProcess;

const ROUNDS: usize = 10;
const ROUND: u64 = 7_000;
const WARM: usize = 3;
/// The number of requests that wait in the server during a round, in groups.
const HELD: usize = 900;
const GROUP: usize = 100;
/// In each group, every tenth request is cancelled immediately.
const GROUP_STAYS: usize = GROUP - GROUP / 10;
/// The number of other requests in flight.
const WINDOW: usize = 100;
/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(60);
/// In seven rounds of 7,000 requests, a leak of 43 bytes per request would be larger.
const GROWTH: u64 = 2 << 20;

struct PipeLoad {
    process: MeasuredProcess,
    mix: Mix,
    lines: Receiver<String>,
    out: Sender<String>,
    threads: Vec<JoinHandle<()>>,
    /// Requests without a response, and the log messages received for them.
    open: HashMap<String, (PlannedRequest, usize)>,
    /// Waiting groups, oldest first, and the total number of their requests.
    groups: VecDeque<u64>,
    held: usize,
    garbage: usize,
    /// Messages to send in reaction to a received one.
    next: Vec<PlannedRequest>,
}

impl PipeLoad {
    fn new() -> Self {
        let mut process = MeasuredProcess::start("pipes");
        let mut stdin = process.process.stdin.take().expect("a pipe");
        let stdout = process.process.stdout.take().expect("a pipe");
        let (out, messages) = channel::<String>();
        let writing = thread::spawn(move || {
            for message in messages {
                stdin.write_all(message.as_bytes()).expect("written");
            }
        });
        let (into, lines) = channel();
        let reading = thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(()) = into.send(line.expect("readable")) else {
                    return;
                };
            }
        });
        Self {
            process,
            mix: Mix::new(1),
            lines,
            out,
            threads: vec![writing, reading],
            open: HashMap::new(),
            groups: VecDeque::new(),
            held: 0,
            garbage: 0,
            next: Vec::new(),
        }
    }

    fn write(&self, line: &str) {
        self.out.send(format!("{line}\n")).expect("it is written");
    }

    fn send(&mut self, shot: PlannedRequest) {
        self.write(&shot.message.to_string());
        self.held += usize::from(matches!(shot.expect, Expect::Held));
        let before = self.open.insert(shot.id().to_string(), (shot, 0));
        assert!(before.is_none(), "an id twice: {before:?}");
    }

    fn handshake(&mut self) {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "soak", "version": "1" },
        });
        self.write(
            &json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params })
                .to_string(),
        );
        let answer: Value = serde_json::from_str(&self.line()).expect("JSON");
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    fn line(&self) -> String {
        let line = self.lines.recv_timeout(TIMEOUT);
        line.unwrap_or_else(|_| panic!("no answer to {:?}", self.open.values().next()))
    }

    fn cancel(&mut self, id: &Value) -> PlannedRequest {
        let (shot, _) = self.open.remove(&id.to_string()).expect("it is open");
        let params = json!({ "requestId": id });
        let method = "notifications/cancelled";
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
        shot
    }

    /// Handles one received line.
    fn receive(&mut self) {
        let message: Value = serde_json::from_str(&self.line()).expect("JSON");
        let params = &message["params"];
        match message["method"].as_str() {
            None if message["id"].is_null() => {
                assert_eq!(message["error"]["code"], -32700, "{message}");
                self.garbage = self.garbage.checked_sub(1).expect("not more than garbage");
            }
            None => {
                let flying = self.open.remove(&message["id"].to_string());
                let (shot, logged) =
                    flying.unwrap_or_else(|| panic!("unexpected message: {message}"));
                self.held -= usize::from(matches!(shot.expect, Expect::Held));
                let then = shot.check(&message, logged);
                self.next.extend(self.mix.follow(&shot, then));
            }
            Some("elicitation/create") => {
                let asked = |shot: &PlannedRequest| match &shot.expect {
                    Expect::Word(asked, word) if *asked == params["message"] => Some(said(word)),
                    _ => None,
                };
                let word = self.open.values().find_map(|(shot, _)| asked(shot));
                let word = word.expect("the request is open");
                self.write(
                    &json!({ "jsonrpc": "2.0", "id": message["id"], "result": word }).to_string(),
                );
            }
            Some("notifications/message") => {
                let said = params["data"].as_str().expect("text");
                let (text, number) = said.split_once(':').expect("a number");
                let of = |shot: &PlannedRequest| matches!(&shot.expect, Expect::Text(own, 3) if own == text);
                let mut open = self.open.values_mut();
                let (_, logged) = open.find(|(shot, _)| of(shot)).expect("it is open");
                assert_eq!(number, logged.to_string(), "{message}");
                *logged += 1;
            }
            Some("notifications/progress") => {
                let token = params["progressToken"].to_string();
                assert!(self.open.contains_key(&token), "{message}");
            }
            Some("notifications/subscriptions/acknowledged") => {
                let id = &params["_meta"]["io.modelcontextprotocol/subscriptionId"];
                let (shot, _) = self.open.get(&id.to_string()).expect("it is open");
                let Expect::Subscription(uri) = &shot.expect else {
                    panic!("{message} to {shot:?}");
                };
                let touch = self.mix.touch(Era::Legacy, uri);
                self.next.push(touch);
            }
            Some(method) => {
                assert_eq!(method, "notifications/resources/updated", "{message}");
                let id = &params["_meta"]["io.modelcontextprotocol/subscriptionId"];
                if !id.is_null() {
                    let shot = self.cancel(id);
                    let Expect::Subscription(uri) = &shot.expect else {
                        panic!("{message} to {shot:?}");
                    };
                    assert_eq!(params["uri"], *uri);
                }
            }
        }
        for shot in std::mem::take(&mut self.next) {
            self.send(shot);
        }
    }

    fn hold(&mut self) {
        let (group, shots) = self.mix.hold(GROUP);
        self.groups.push_back(group);
        let mut given_up = Vec::new();
        for (at, shot) in shots.into_iter().enumerate() {
            if at % 10 == 0 {
                given_up.push(shot.id().clone());
            }
            self.send(shot);
        }
        for id in given_up {
            self.cancel(&id);
            self.held -= 1;
        }
    }

    /// Keeps as many groups as possible: a released group is in flight until it is answered, and
    /// the total must stay below the server's limit.
    fn fill(&mut self) {
        while self.held + GROUP_STAYS <= HELD {
            self.hold();
        }
    }

    fn free(&mut self) {
        if let Some(group) = self.groups.pop_front() {
            let shot = self.mix.free(group);
            self.send(shot);
        }
    }

    /// Waits until no handler is left: cancelled handlers end on another thread.
    fn empty(&mut self) {
        let end = Instant::now() + TIMEOUT;
        loop {
            let any = Expect::Counted(0);
            let count = self.mix.tool(Era::Modern, "count", json!({}), any);
            self.write(&count.message.to_string());
            let counted: Value = serde_json::from_str(&self.line()).expect("JSON");
            if counted["result"]["structuredContent"]["there"] == 0 {
                return;
            }
            assert!(Instant::now() < end, "{counted}");
        }
    }

    /// Sends this number of requests, and waits for all responses.
    fn round(&mut self, count: u64) {
        let last = self.mix.made() + count;
        self.fill();
        let held = Expect::Counted(self.held as u64);
        let count = self.mix.tool(Era::Modern, "count", json!({}), held);
        self.send(count);
        while self.mix.made() < last {
            self.fill();
            while self.open.len() < self.held + WINDOW {
                let shot = self.mix.any();
                self.send(shot);
                if self.mix.made().is_multiple_of(100) {
                    self.garbage += 1;
                    self.write("garbage");
                }
            }
            if self.mix.made().is_multiple_of(5) {
                self.free();
            }
            self.receive();
        }
        while !self.groups.is_empty() {
            self.free();
        }
        while !self.open.is_empty() || self.garbage > 0 {
            self.receive();
        }
        self.process.record_memory();
    }
}

#[test]
fn many_requests_over_pipes_get_one_response_each_and_leave_no_state() {
    let mut client = PipeLoad::new();
    client.handshake();
    for _ in 0..ROUNDS {
        client.round(ROUND);
    }
    client.empty();
    client.process.assert_constant(WARM, GROWTH);
    // The process exits at the end of its input.
    drop(client.out);
    for thread in client.threads {
        thread.join().expect("no panic");
    }
    assert_eq!(client.lines.try_iter().count(), 0);
    assert!(
        client
            .process
            .process
            .child
            .wait()
            .expect("waited for")
            .success()
    );
}
