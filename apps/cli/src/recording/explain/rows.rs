//! [`Explanation`]: the entries of a recording with what is known of them.

use std::collections::{HashMap, HashSet};

use mcp_client::types::json::{self, Value};
use mcp_client::types::meta::SERVER_INFO;
use mcp_client::types::{Revision, rpc};

use super::faults::{self, Fault};
use crate::recording::format::{Entry, Header, Server, Side, Stream};
use crate::recording::reader::Recording;
use crate::recording::session::{Kind, Message, Session, error_of};

/// The request with which a session begins.
const INITIALIZE: &str = "initialize";

/// A recording, explained.
pub(crate) struct Explanation<'a> {
    pub(super) header: &'a Header,
    pub(super) rows: Vec<Row<'a>>,
    pub(super) summary: Summary,
}

/// What the session as a whole is.
#[derive(Default)]
pub(super) struct Summary {
    /// The name and the version of the server.
    pub(super) name: Option<String>,
    pub(super) revisions: Vec<Revision>,
    pub(super) messages: usize,
    pub(super) faults: usize,
    /// Milliseconds from the first to the last entry.
    pub(super) duration: f64,
    /// The slowest answer: its milliseconds, and the number of the request.
    pub(super) slowest: Option<(f64, usize)>,
}

/// An entry, or a message of a batch.
pub(super) struct Row<'a> {
    /// The number of a message, from one; `None` for other entries.
    pub(super) number: Option<usize>,
    pub(super) entry: &'a Entry,
    pub(super) kind: RowKind,
    /// The method; of a response that of its request.
    pub(super) method: Option<String>,
    /// What the method is called with, such as a tool; of a response that of its request.
    pub(super) subject: Option<String>,
    pub(super) revision: Option<Revision>,
    /// The number of the request or of the response.
    pub(super) pair: Option<usize>,
    /// The milliseconds until the answer of a request, or since the request of an answer.
    pub(super) duration: Option<f64>,
    /// The bytes of a message or a text.
    pub(super) size: u64,
    /// The JSON of a message, or a text.
    pub(super) text: &'a str,
    pub(super) faults: Vec<Fault>,
    /// What is remarkable, but valid.
    pub(super) note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    Request,
    Result,
    /// The result of a tool that failed.
    Failed,
    Error,
    Notification,
    /// Not a message of JSON-RPC.
    Invalid,
    /// A line on standard error, or a body that is not JSON.
    Text,
    /// A step of HTTP without a message.
    Http,
    /// A remark of the recorder.
    Remark,
}

impl RowKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Result => "result",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Notification => "notification",
            Self::Invalid => "invalid",
            Self::Text => "text",
            Self::Http => "http",
            Self::Remark => "remark",
        }
    }
}

/// Explains a recording.
pub(crate) fn explain(recording: &Recording) -> Explanation<'_> {
    let session = Session::new(recording);
    let mut explaining = Explaining {
        session: &session,
        revisions: HashMap::new(),
        used: HashSet::new(),
    };
    let mut rows = Vec::with_capacity(recording.entries.len());
    let mut messages = session.messages.iter().enumerate().peekable();
    for entry in &recording.entries {
        let mut is_message = false;
        while let Some((at, message)) =
            messages.next_if(|(_, message)| std::ptr::eq(message.entry, entry))
        {
            rows.push(explaining.message(at, message));
            is_message = true;
        }
        if !is_message {
            rows.push(other(entry));
        }
    }
    let mut summary = Summary {
        name: name(&session),
        messages: session.messages.len(),
        ..Summary::default()
    };
    let ends = (recording.entries.first(), recording.entries.last());
    if let (Some(first), Some(last)) = ends {
        summary.duration = elapsed(first.ms, last.ms);
    }
    for row in &rows {
        summary.faults += row.faults.len();
        if let Some(revision) = row.revision
            && !summary.revisions.contains(&revision)
        {
            summary.revisions.push(revision);
        }
        if let (RowKind::Request, Some(duration), Some(number)) =
            (row.kind, row.duration, row.number)
            && summary
                .slowest
                .is_none_or(|(slowest, _)| duration > slowest)
        {
            summary.slowest = Some((duration, number));
        }
    }
    Explanation {
        header: &recording.header,
        rows,
        summary,
    }
}

struct Explaining<'s, 'a> {
    session: &'s Session<'a>,
    /// The negotiated revision of each HTTP session.
    revisions: HashMap<Option<u64>, Revision>,
    /// The ids of requests of each side, as text.
    used: HashSet<(Side, Option<u64>, String)>,
}

impl<'a> Explaining<'_, 'a> {
    fn message(&mut self, at: usize, message: &Message<'a>) -> Row<'a> {
        let pair = self.session.pair_of(message);
        let revision = self.revision(message, pair);
        let kind = match &message.kind {
            Kind::Request { .. } => RowKind::Request,
            Kind::Notification { .. } => RowKind::Notification,
            Kind::Result { result, .. } if has_failed(result) => RowKind::Failed,
            Kind::Result { .. } => RowKind::Result,
            Kind::Error { .. } => RowKind::Error,
            Kind::Invalid(_) => RowKind::Invalid,
        };
        let named = match kind {
            RowKind::Result | RowKind::Failed | RowKind::Error => pair,
            _ => Some(message),
        };
        let checked = revision.unwrap_or(Revision::LATEST);
        let request = pair.filter(|_| message.kind.answers().is_some());
        let mut faults = faults::check(checked, message, request);
        faults.extend(self.id_fault(message));
        Row {
            number: Some(at + 1),
            entry: message.entry,
            kind,
            method: named.and_then(Message::method).map(str::to_owned),
            subject: error(message).or_else(|| named.and_then(subject)),
            revision,
            pair: message.pair.map(|pair| pair + 1),
            duration: pair.map(|pair| elapsed(pair.entry.ms, message.entry.ms)),
            size: message.text.len() as u64,
            text: message.text,
            faults,
            note: note(checked, message),
        }
    }

    /// Returns the revision of a message.
    fn revision(&mut self, message: &Message<'_>, pair: Option<&Message<'_>>) -> Option<Revision> {
        let key = session_of(message);
        let request = pair.filter(|_| message.kind.answers().is_some());
        let answered = request.and_then(Message::method);
        if let Some(stated) = stated(message, answered) {
            if message.method() == Some(INITIALIZE) {
                // For messages that are sent before the response.
                self.revisions.entry(key).or_insert(stated);
            } else {
                self.revisions.insert(key, stated);
            }
            if answered == Some(INITIALIZE) {
                // The response may be the first to name the session.
                self.revisions.insert(None, stated);
            }
            return Some(stated);
        }
        let own = request.filter(|request| request.method() != Some(INITIALIZE));
        if let Some(own) = own.and_then(|request| stated(request, None)) {
            return Some(own);
        }
        self.revisions
            .get(&key)
            .or(self.revisions.get(&None))
            .copied()
    }

    /// Returns a fault if the id of a request was used before on the same connection.
    fn id_fault(&mut self, message: &Message<'_>) -> Option<Fault> {
        let Kind::Request { id, .. } = &message.kind else {
            return None;
        };
        let session = session_of(message);
        if message.entry.http.is_some() && session.is_none() {
            return None;
        }
        let id = Value::from(id.clone()).to_string();
        let is_new = self.used.insert((message.entry.from, session, id.clone()));
        (!is_new).then(|| Fault::new(format!("the id {id} was used before")))
    }
}

/// Returns the milliseconds between two entries, with three decimal places.
fn elapsed(one: f64, other: f64) -> f64 {
    ((other - one).abs() * 1000.0).round() / 1000.0
}

/// Returns the revision that a message states.
fn stated(message: &Message<'_>, answered: Option<&str>) -> Option<Revision> {
    let parsed = rpc::parse_str(message.text).ok()?;
    rpc::revision_of(faults::sender(message), &parsed, answered)?.ok()
}

fn session_of(message: &Message<'_>) -> Option<u64> {
    message.entry.http.as_ref()?.session
}

fn parse(text: Option<&str>) -> Value {
    let value = text.and_then(|text| json::from_str(text).ok());
    value.unwrap_or_default()
}

/// Returns `true` for the result of a tool that failed.
fn has_failed(result: &str) -> bool {
    let failed = |result: Value| result.get("isError").and_then(Value::as_bool);
    // Other results need not be decoded.
    result.contains("isError") && failed(parse(Some(result))) == Some(true)
}

/// Returns what a method is called with.
fn subject(message: &Message<'_>) -> Option<String> {
    let params = parse(message.params());
    if let Some(progress) = params.get("progress") {
        let total = params.get("total").map(|total| format!(" of {total}"));
        return Some(format!("{progress}{}", total.unwrap_or_default()));
    }
    ["name", "uri", "taskId", "message", "level"]
        .iter()
        .find_map(|member| Some(params.get(member)?.as_str()?.to_owned()))
}

/// Returns the code and the message of an error.
fn error(message: &Message<'_>) -> Option<String> {
    let Kind::Error { error, .. } = &message.kind else {
        return None;
    };
    let (code, text) = error_of(error)?;
    Some(format!("{code} {text}"))
}

fn note(revision: Revision, message: &Message<'_>) -> Option<String> {
    let method = message.method()?;
    if let Kind::Request { .. } = message.kind
        && message.pair.is_none()
        && method != "subscriptions/listen"
    {
        return Some("no answer was recorded".to_owned());
    }
    let is_known = revision.has_method(method);
    (!is_known).then(|| format!("revision {revision} does not define this method"))
}

/// Returns the name and the version of the server.
fn name(session: &Session<'_>) -> Option<String> {
    session.messages.iter().find_map(|message| {
        let Kind::Result { result, .. } = &message.kind else {
            return None;
        };
        let result = match session.pair_of(message)?.method()? {
            INITIALIZE | "server/discover" => parse(Some(result)),
            _ => return None,
        };
        let meta = result.get("_meta").and_then(|meta| meta.get(SERVER_INFO));
        let info = result.get("serverInfo").or(meta)?;
        let text = |name| info.get(name).and_then(Value::as_str);
        let version = text("version").unwrap_or_default();
        Some(format!("{} {version}", text("name")?).trim_end().to_owned())
    })
}

/// Explains an entry that is not a message.
fn other(entry: &Entry) -> Row<'_> {
    let text = entry.text.as_deref().unwrap_or_default();
    let is_output = entry.stream.is_none() && entry.http.is_none();
    let kind = match entry.from {
        Side::Recorder => RowKind::Remark,
        _ if text.is_empty() => RowKind::Http,
        _ if is_output => RowKind::Invalid,
        _ => RowKind::Text,
    };
    let http = entry.http.as_deref();
    let subject = match (kind, http) {
        (RowKind::Http, Some(http)) => match (&http.method, http.status) {
            (Some(method), _) => Some(format!(
                "{method} {}",
                http.path.as_deref().unwrap_or_default()
            )),
            (None, Some(status)) => Some(format!("HTTP {status}")),
            (None, None) => None,
        },
        _ => text.lines().next().map(str::to_owned),
    };
    let mut faults = Vec::new();
    if kind == RowKind::Invalid {
        faults.push(Fault::new("expected a message of JSON-RPC on a line"));
    }
    Row {
        number: None,
        entry,
        kind,
        method: None,
        subject,
        revision: None,
        pair: None,
        duration: None,
        size: entry.bytes.unwrap_or(text.len() as u64),
        text,
        faults,
        note: (entry.stream == Some(Stream::Stderr)).then(|| "standard error".to_owned()),
    }
}

impl Row<'_> {
    /// Returns `true` for a server-sent event without data, which only sets an id.
    pub(super) fn is_empty_event(&self) -> bool {
        self.kind == RowKind::Http && self.entry.stream == Some(Stream::Sse)
    }

    /// Returns what is shown of the message in one line.
    pub(super) fn label(&self) -> String {
        let subject = self.subject.as_deref().unwrap_or_default();
        let method = self.method.as_deref().unwrap_or_default();
        let label = match self.kind {
            RowKind::Result => format!("{}: result", format!("{method} {subject}").trim_end()),
            RowKind::Failed => format!("{method} {subject}: failed"),
            RowKind::Error => format!("{method}: error {subject}"),
            RowKind::Invalid if self.subject.is_none() => "not a message of JSON-RPC".to_owned(),
            _ => format!("{method} {subject}"),
        };
        label.trim_matches([' ', ':']).to_owned()
    }
}

impl Explanation<'_> {
    /// Returns the server, as it was named to the recorder.
    pub(super) fn server(&self) -> String {
        match &self.header.server {
            Server::Program(words) => words.join(" "),
            Server::Url(url) => url.clone(),
        }
    }
}
