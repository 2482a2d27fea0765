//! Plays the client: sends its messages to a server, and compares the results.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use mcp_client::types::id::RequestId;
use mcp_client::types::json::{self, Value};
use mcp_client::types::rpc::{self, ErrorObject, Message as Rpc};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::handles::Handles;
use super::link::{Link, Sent};
use crate::args::Timing;
use crate::ignored::Ignored;
use crate::recording::compare::of_runs;
use crate::recording::format::Side;
use crate::recording::session::{Kind, Message, Session};
use crate::secrets;

/// The number of differences of a result that are reported.
const DIFFERENCES: usize = 20;

/// The number of requests of the server without a recorded answer that are reported.
const UNEXPECTED: usize = 100;

/// A request whose answer is not the recorded one.
#[derive(Debug, Serialize)]
pub(crate) struct Mismatch {
    /// The number of the request among the messages of the recording, from one.
    pub(crate) number: usize,
    pub(crate) method: String,
    pub(crate) differences: Vec<String>,
}

/// What a replay has found.
pub(crate) struct Report {
    /// The number of answers that were compared.
    pub(crate) compared: usize,
    pub(crate) mismatches: Vec<Mismatch>,
    /// The methods of requests of the server that the recording does not answer.
    pub(crate) unexpected: Vec<String>,
    /// The methods of requests that the server made when it was recorded, and not now.
    pub(crate) unused: Vec<String>,
}

/// How a recording is replayed.
pub(crate) struct How<'a> {
    pub(crate) timing: Timing,
    /// How long to wait for each message.
    pub(crate) time: Duration,
    /// What is not compared.
    pub(crate) ignored: &'a [Ignored],
    /// Whether the recording has no secrets, so that they are removed from the answers, too.
    pub(crate) without_secrets: bool,
}

/// Sends the messages of the client in their order, each after the answers that were there when it
/// was recorded.
pub(crate) async fn play(session: &Session<'_>, link: Link, how: &How<'_>) -> Report {
    let mut run = Run {
        link,
        time: how.time,
        handles: Handles::default(),
        unexpected: Vec::new(),
        expected: expected_answers(session),
        answers: HashMap::new(),
        asked: HashMap::new(),
        recorded: recorded_answers(session),
    };
    let mut report = Report {
        compared: 0,
        mismatches: Vec::new(),
        unexpected: Vec::new(),
        unused: Vec::new(),
    };
    let start = Instant::now();
    for message in &session.messages {
        match message.entry.from {
            Side::Client => {
                if how.timing == Timing::Recorded {
                    let at = Duration::try_from_secs_f64(message.entry.ms.max(0.0) / 1000.0);
                    tokio::time::sleep_until(start + at.unwrap_or_default()).await;
                }
                run.send(session, message).await;
            }
            Side::Server => {
                let Some(request) = message.pair else {
                    continue;
                };
                if message.kind.answers().is_none() {
                    continue;
                }
                report.compared += 1;
                let differences = run.compare(message, how).await;
                if !differences.is_empty() {
                    let method = session.pair_of(message).and_then(Message::method);
                    report.mismatches.push(Mismatch {
                        number: request + 1,
                        method: method.unwrap_or_default().to_owned(),
                        differences,
                    });
                }
            }
            Side::Recorder => {}
        }
    }
    report.unexpected = run.unexpected;
    let unused = run.recorded.into_iter().filter(|(_, left)| *left > 0);
    report.unused = unused.map(|(method, _)| method).collect();
    report.unused.sort_unstable();
    report
}

/// Returns the ids of the answers that are compared.
fn expected_answers(session: &Session<'_>) -> HashSet<RequestId> {
    let messages = session.messages.iter();
    let answers = messages.filter(|message| message.entry.from == Side::Server);
    answers
        .filter_map(|message| message.kind.answers().cloned())
        .collect()
}

/// Returns how many requests of the server with each method the client has answered.
fn recorded_answers(session: &Session<'_>) -> HashMap<String, usize> {
    let mut recorded = HashMap::new();
    for message in &session.messages {
        if message.entry.from == Side::Client
            && message.kind.answers().is_some()
            && let Some(method) = session.pair_of(message).and_then(Message::method)
        {
            *recorded.entry(method.to_owned()).or_default() += 1;
        }
    }
    recorded
}

struct Run {
    link: Link,
    /// How long to wait for each message.
    time: Duration,
    /// The ids of the answers that are kept until they are compared.
    expected: HashSet<RequestId>,
    /// The answers that have arrived: the results or the errors.
    answers: HashMap<RequestId, Result<Value, Value>>,
    /// The ids of requests of the server without an answer, by method.
    asked: HashMap<String, VecDeque<RequestId>>,
    /// How many requests the client will answer as recorded, by method.
    recorded: HashMap<String, usize>,
    /// The methods of requests without a recorded answer.
    unexpected: Vec<String>,
    handles: Handles,
}

impl Run {
    async fn send(&mut self, session: &Session<'_>, message: &Message<'_>) {
        if message.kind.answers().is_none() {
            let text = self.handles.replace(message.text);
            return self.send_text(text, message).await;
        }
        // An answer to a request of the server, which has another id now.
        let Some(method) = session.pair_of(message).and_then(Message::method) else {
            return;
        };
        let until = Instant::now() + self.time;
        let id = loop {
            let ids = self.asked.get_mut(method);
            if let Some(id) = ids.and_then(VecDeque::pop_front) {
                break id;
            }
            if !self.receive(until).await {
                return;
            }
        };
        let (member, body) = match &message.kind {
            Kind::Result { result, .. } => ("result", result),
            Kind::Error { error, .. } => ("error", error),
            _ => return,
        };
        let id = Value::from(id);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{body}}}"#);
        self.send_text(text, message).await;
    }

    async fn send_text(&mut self, text: String, message: &Message<'_>) {
        let headers = message.entry.http.iter().flat_map(|http| &http.headers);
        let headers = headers.map(|(name, value)| (name.clone(), value.clone()));
        let headers = headers.collect();
        let until = Instant::now() + self.time;
        let to = self.link.to.clone();
        loop {
            let place = tokio::select! {
                place = to.reserve() => place,
                // A server may read on only when its own messages are read.
                received = self.link.from.recv() => {
                    if let Some(text) = received {
                        self.received(&text).await;
                        continue;
                    }
                    to.reserve().await
                }
                // The answers are missing then.
                () = sleep_until(until) => return,
            };
            // If the connection is lost, the answers are missing.
            if let Ok(place) = place {
                place.send(Sent { text, headers });
            }
            return;
        }
    }

    /// Waits for the answer, and compares it with the recorded one.
    async fn compare(&mut self, expected: &Message<'_>, how: &How<'_>) -> Vec<String> {
        let Some(id) = expected.kind.answers() else {
            return Vec::new();
        };
        let until = Instant::now() + self.time;
        let found = loop {
            if let Some(found) = self.answers.remove(id) {
                break found;
            }
            if !self.receive(until).await {
                return vec!["there is no answer".to_owned()];
            }
        };
        let parse = |text: &str| json::from_str::<Value>(text).unwrap_or_default();
        let (expected, found) = match (&expected.kind, found) {
            (Kind::Result { result, .. }, Ok(found)) => (parse(result), found),
            (Kind::Error { error, .. }, Err(found)) => (parse(error), found),
            (Kind::Result { .. }, Err(found)) => {
                return vec![format!(
                    "expected a result, found an error: {}",
                    shown(&found)
                )];
            }
            (_, Ok(found)) => {
                return vec![format!(
                    "expected an error, found a result: {}",
                    shown(&found)
                )];
            }
            _ => return Vec::new(),
        };
        self.handles.learn(&expected, &found);
        let found = if how.without_secrets {
            parse(&secrets::message(&found.to_string(), None))
        } else {
            found
        };
        let differences = of_runs(&expected, &found, DIFFERENCES, how.ignored);
        differences.iter().map(ToString::to_string).collect()
    }

    /// Receives a message. Returns `false` if none arrives.
    async fn receive(&mut self, until: Instant) -> bool {
        let Ok(Some(text)) = timeout_at(until, self.link.from.recv()).await else {
            return false;
        };
        self.received(&text).await;
        true
    }

    async fn received(&mut self, text: &str) {
        match rpc::parse_str(text) {
            Ok(Rpc::Result { id, result, .. }) if self.expected.contains(&id) => {
                let result = json::from_str(result.get()).unwrap_or_default();
                self.answers.insert(id, Ok(result));
            }
            Ok(Rpc::Error {
                id: Some(id),
                error,
                ..
            }) if self.expected.contains(&id) => {
                let error = json::from_str(error.get()).unwrap_or_default();
                self.answers.insert(id, Err(error));
            }
            Ok(Rpc::Request { id, method, .. }) => self.asked(id, method.into_owned()).await,
            _ => {}
        }
    }

    /// Keeps a request of the server until its recorded answer is sent. Answers a request without a
    /// recorded answer at once.
    async fn asked(&mut self, id: RequestId, method: String) {
        if let Some(left @ 1..) = self.recorded.get_mut(&method) {
            *left -= 1;
            self.asked.entry(method).or_default().push_back(id);
            return;
        }
        let mut text = Vec::new();
        let written = if method == "ping" {
            rpc::write_result(&mut text, &id, &json::Object::new())
        } else {
            if self.unexpected.len() < UNEXPECTED {
                self.unexpected.push(method);
            }
            let error =
                ErrorObject::method_not_found("the recording has no answer to this request");
            rpc::write_error(&mut text, Some(&id), &error)
        };
        let Ok(text) = written.map(|()| String::from_utf8(text).unwrap_or_default()) else {
            return;
        };
        let headers = Vec::new();
        // If the server does not read it, or the connection is lost, the answers are missing.
        let sent = self.link.to.send_timeout(Sent { text, headers }, self.time);
        let _ = sent.await;
    }
}

fn shown(value: &Value) -> String {
    mcp_client::types::error::excerpt(&value.to_string()).into_owned()
}
