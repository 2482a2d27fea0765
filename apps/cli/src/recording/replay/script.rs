//! [`Script`]: what the server of a recording sends after each message of the client.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use mcp_client::types::id::RequestId;
use mcp_client::types::json::{self, Value};
use mcp_client::types::meta::PROGRESS_TOKEN;

use crate::recording::compare::{canonical, matched};
use crate::recording::format::Side;
use crate::recording::session::{Kind, Message, Session};

/// The requests and notifications of the client, each with what the server sends after it.
pub(crate) struct Script {
    pub(crate) calls: Vec<Call>,
    /// The calls with the same method and params, in order.
    pub(crate) same: HashMap<(String, String), Vec<usize>>,
}

/// A request or a notification of the client.
pub(crate) struct Call {
    pub(crate) method: String,
    /// The params by which it is matched.
    pub(crate) params: Value,
    /// The id of a request in the recording.
    pub(crate) id: Option<RequestId>,
    /// The progress token in the recording.
    pub(crate) token: Option<Value>,
    pub(crate) steps: Vec<Step>,
    /// Milliseconds since the start of the recording: of the call, then of its last step.
    last: f64,
}

/// Something that happens after a call.
pub(crate) struct Step {
    /// The delay after the step before.
    pub(crate) after: Duration,
    pub(crate) what: What,
}

#[derive(Clone)]
pub(crate) enum What {
    /// The server sends a notification, or something that is not a message.
    Send(String),
    /// The server sends a request.
    Ask(RequestId, String),
    /// The client answers that request.
    Await(RequestId),
    /// The server answers with this result.
    Result(String),
    /// The server answers with this error.
    Error(String),
}

impl Call {
    /// Returns `true` if the recording has the response.
    pub(crate) fn is_answered(&self) -> bool {
        let is_answer = |step: &Step| matches!(step.what, What::Result(_) | What::Error(_));
        self.steps.iter().any(is_answer)
    }
}

impl Script {
    pub(crate) fn new(session: &Session<'_>) -> Self {
        let mut writing = Writing {
            calls: Vec::new(),
            open: HashSet::new(),
            short: BTreeSet::new(),
            by_token: HashMap::new(),
            recent: None,
            by_message: HashMap::new(),
        };
        for (at, message) in session.messages.iter().enumerate() {
            match message.entry.from {
                Side::Client => writing.client(at, message),
                Side::Server => writing.server(at, message),
                Side::Recorder => {}
            }
        }
        let mut same: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, call) in writing.calls.iter().enumerate() {
            let key = (call.method.clone(), canonical(&call.params));
            same.entry(key).or_default().push(at);
        }
        Self {
            calls: writing.calls,
            same,
        }
    }
}

struct Writing {
    calls: Vec<Call>,
    /// The requests without a response so far, as calls.
    open: HashSet<usize>,
    /// The same without subscriptions, which are open for long: other calls cause their events.
    short: BTreeSet<usize>,
    /// The last request with each progress token.
    by_token: HashMap<String, usize>,
    /// The call that was sent or answered last.
    recent: Option<usize>,
    /// The call of each request of the client, and that in which a request of the server is sent.
    by_message: HashMap<usize, usize>,
}

impl Writing {
    fn client(&mut self, at: usize, message: &Message<'_>) {
        let Some(method) = message.method() else {
            let asked = message.pair.and_then(|asked| self.by_message.get(&asked));
            if let (Some(call), Some(id)) = (asked, message.kind.answers()) {
                self.step(*call, message, What::Await(id.clone()));
            }
            return;
        };
        let id = match &message.kind {
            Kind::Request { id, .. } => Some(id.clone()),
            _ => None,
        };
        let call = self.calls.len();
        let is_request = id.is_some();
        let token = token(message.params());
        if let Some(token) = token.as_ref().filter(|_| is_request) {
            self.by_token.insert(token.to_string(), call);
        }
        self.calls.push(Call {
            method: method.to_owned(),
            params: matched(method, message.params()),
            id,
            token,
            steps: Vec::new(),
            last: message.entry.ms,
        });
        if is_request {
            self.open.insert(call);
            if method != "subscriptions/listen" {
                self.short.insert(call);
            }
            self.by_message.insert(at, call);
        }
        if is_request || self.open.is_empty() {
            self.recent = Some(call);
        }
    }

    fn server(&mut self, at: usize, message: &Message<'_>) {
        let what = match &message.kind {
            Kind::Result { result, .. } => What::Result((*result).to_owned()),
            Kind::Error { error, .. } => What::Error((*error).to_owned()),
            Kind::Request { id, .. } => What::Ask(id.clone(), message.text.to_owned()),
            Kind::Notification { .. } | Kind::Invalid(_) => What::Send(message.text.to_owned()),
        };
        if let What::Result(_) | What::Error(_) = what {
            let answered = message.pair.and_then(|pair| self.by_message.get(&pair));
            // A response without a request is sent nowhere.
            if let Some(&call) = answered {
                self.step(call, message, what);
                self.open.remove(&call);
                self.short.remove(&call);
                self.recent = Some(call);
            }
            return;
        }
        if let Some(call) = self.cause(message) {
            if let What::Ask(..) = what {
                self.by_message.insert(at, call);
            }
            self.step(call, message, what);
        }
    }

    /// Returns the call after which the server sent a message.
    fn cause(&self, message: &Message<'_>) -> Option<usize> {
        if let Some("notifications/progress") = message.method() {
            let token = params(message.params()).get(PROGRESS_TOKEN).cloned();
            let same = self.by_token.get(&token.unwrap_or_default().to_string());
            if let Some(call) = same.filter(|call| self.open.contains(call)) {
                return Some(*call);
            }
        }
        self.short.last().copied().or(self.recent)
    }

    fn step(&mut self, call: usize, message: &Message<'_>, what: What) {
        if let Some(call) = self.calls.get_mut(call) {
            let ms = (message.entry.ms - call.last).max(0.0);
            call.last = message.entry.ms;
            let after = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
            call.steps.push(Step { after, what });
        }
    }
}

fn params(params: Option<&str>) -> Value {
    params
        .and_then(|params| json::from_str(params).ok())
        .unwrap_or_default()
}

/// Returns the progress token of a request.
pub(super) fn token(text: Option<&str>) -> Option<Value> {
    params(text).get("_meta")?.get(PROGRESS_TOKEN).cloned()
}
