//! What is not valid in a message, by the schema of its revision.

use mcp_client::types::error::{DecodeError, Path, Rule, Segment};
use mcp_client::types::json::{self, Value};
use mcp_client::types::{Revision, Sender};
use mcp_types::registry;

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

/// Returns the side that sent a message.
pub(super) fn sender(message: &Message<'_>) -> Sender {
    match message.entry.from {
        Side::Client => Sender::Client,
        _ => Sender::Server,
    }
}

/// Checks a message against the schema of a revision. `request` is what a response answers.
pub(super) fn check(
    revision: Revision,
    message: &Message<'_>,
    request: Option<&Message<'_>>,
) -> Vec<Fault> {
    match &message.kind {
        Kind::Invalid(reason) => return vec![Fault::new(reason)],
        Kind::Result { .. } if request.is_none() => {
            return vec![Fault::at("id", "no request has this id".to_owned())];
        }
        _ => {}
    }
    let answered = request.and_then(Message::method);
    let mut faults =
        registry::validate_message(revision, sender(message), message.text, |_| answered);
    // Extensions have methods that no revision has.
    let method = answered.or_else(|| message.method());
    if method.is_some_and(|method| !revision.has_method(method)) {
        faults.retain(|fault| fault.rule() != Rule::Variant);
    }
    if faults.is_empty() {
        return Vec::new();
    }
    let text: Value = json::from_str(message.text).unwrap_or_default();
    faults
        .iter()
        .filter_map(|error| fault(error, &text))
        .collect()
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
