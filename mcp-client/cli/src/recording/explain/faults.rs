//! What is not valid in a message, by the schema of its revision.

use mcp_client::types::error::{DecodeError, Path, Segment};
use mcp_client::types::json::{self, Value};
use mcp_client::types::rpc::ErrorObject;
use mcp_client::types::{MessageInfo, Revision, Sender};
use mcp_types::registry::{self, FAULT_LIMIT};

use crate::recording::format::Side;
use crate::recording::session::{Kind, Message};
use crate::secrets::REMOVED;

/// Something that is not valid.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// Where in the message.
    pub(crate) path: Path,
    pub(crate) reason: String,
}

impl Fault {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            path: Path::root(),
            reason: reason.into(),
        }
    }

    fn at(member: &str, reason: String) -> Self {
        let mut path = Path::root();
        path.push(Segment::Member(member.to_owned()));
        Self { path, reason }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

/// Returns the request or notification of a revision; `None` if the revision does not have it, as
/// for extensions.
pub(super) fn info(
    revision: Revision,
    message: &Message<'_>,
    method: &str,
) -> Option<&'static MessageInfo> {
    let sender = match message.entry.from {
        Side::Client => Sender::Client,
        _ => Sender::Server,
    };
    revision.message(method, sender)
}

/// Checks a message against the schema of a revision. `request` is what a response answers.
pub(super) fn check(
    revision: Revision,
    message: &Message<'_>,
    request: Option<&Message<'_>>,
) -> Vec<Fault> {
    let (member, faults) = match &message.kind {
        Kind::Invalid(reason) => return vec![Fault::new(reason)],
        Kind::Error { error, .. } => (
            Some("error"),
            json::all_faults::<ErrorObject>(error, FAULT_LIMIT),
        ),
        Kind::Request { method, .. } | Kind::Notification { method, .. } => {
            let Some(info) = info(revision, message, method) else {
                return Vec::from_iter(other_side(revision, message, method));
            };
            let is_request = matches!(message.kind, Kind::Request { .. });
            if is_request != info.result.is_some() {
                let expected = if is_request {
                    "a notification, without an id"
                } else {
                    "a request, with an id"
                };
                return vec![Fault::at("id", format!("`{method}` is {expected}"))];
            }
            (None, validate(revision, Some(info.name), message.text))
        }
        Kind::Result { result, .. } => {
            let Some(request) = request else {
                return vec![Fault::at("id", "no request has this id".to_owned())];
            };
            let info = request
                .method()
                .and_then(|method| info(revision, request, method));
            let name = info.and_then(|info| info.result);
            (Some("result"), validate(revision, name, result))
        }
    };
    if faults.is_empty() {
        return Vec::new();
    }
    let text: Value = json::from_str(message.text).unwrap_or_default();
    let inside = |fault: DecodeError| match member {
        Some(member) => fault.inside_member(member),
        None => fault,
    };
    let faults = faults.into_iter().map(inside);
    faults.filter_map(|error| fault(&error, &text)).collect()
}

/// Returns the faults of a text, if the type of the revision is known.
fn validate(revision: Revision, name: Option<&str>, text: &str) -> Vec<DecodeError> {
    let entry = name.and_then(|name| registry::find(revision, name));
    entry.map_or_else(Vec::new, |entry| entry.validate(text))
}

/// Returns a fault if only the other side may send the message.
fn other_side(revision: Revision, message: &Message<'_>, method: &str) -> Option<Fault> {
    let side = match message.entry.from {
        Side::Client => "servers",
        _ => "clients",
    };
    let reason = format!("only {side} send `{method}`");
    revision
        .has_method(method)
        .then(|| Fault::at("method", reason))
}

/// Returns the fault of an error, unless it is at the place of a removed secret.
fn fault(error: &DecodeError, text: &Value) -> Option<Fault> {
    let mut found = text;
    for step in error.path().segments() {
        let next = match step {
            Segment::Member(name) => found.get(name),
            Segment::Index(index) => found.as_array().and_then(|all| all.get(*index)),
        };
        match next {
            Some(next) => found = next,
            None => break,
        }
    }
    (found.as_str() != Some(REMOVED)).then(|| Fault {
        path: error.path().clone(),
        reason: error.message().to_owned(),
    })
}
