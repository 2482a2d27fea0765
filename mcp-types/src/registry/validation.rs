//! Validation: all faults of a text, by the name of its type or by the method of the message.

use super::{Entry, find};
use crate::error::{DecodeError, Path, Rule, Segment, excerpt};
use crate::message::{MessageInfo, Sender};
use crate::revisions::Revision;
use crate::rpc::{self, EnvelopeError, Message};

/// The largest number of faults that validation returns.
pub const FAULT_LIMIT: usize = 256;

impl Entry {
    /// Returns all faults of a text, at most [`FAULT_LIMIT`], without encoding it. A text without
    /// faults is one that [`round_trip`](Self::round_trip) accepts.
    ///
    /// See [`json::all_faults`](crate::json::all_faults) for what counts as one fault.
    ///
    /// ```
    /// use mcp_types::{Revision, registry};
    ///
    /// let tool = registry::find(Revision::LATEST, "Tool").unwrap();
    /// let faults = tool.validate(r#"{"title":1,"inputSchema":{"type":"array"},"icons":[{}]}"#);
    /// let found: Vec<String> = faults
    ///     .iter()
    ///     .map(|fault| format!("{} {} {:?}", fault.path(), fault.rule(), fault.expected()))
    ///     .collect();
    /// assert_eq!(found, [
    ///     r#"$.title type ["a string"]"#,
    ///     r#"$.inputSchema.type value ["object"]"#,
    ///     r#"$.icons[0] missing-member ["src"]"#,
    ///     r#"$ missing-member ["name"]"#,
    /// ]);
    /// ```
    #[must_use]
    pub fn validate(&self, text: &str) -> Vec<DecodeError> {
        (self.all_faults)(text, FAULT_LIMIT)
    }
}

/// Returns all faults of a JSON-RPC message that `sender` sends in a revision, at most
/// [`FAULT_LIMIT`]. Paths begin at the message.
///
/// * A request or notification has the type that its method has for the sender; see
///   [`Revision::message`].
/// * A result has the type that belongs to `answered`, the method of the request with its id, which
///   the other side has sent. Of a result whose request is unknown (`None`), only the envelope is
///   validated. A [`Tracker`](rpc::Tracker) knows the requests of a session.
/// * An error response has the type of the revision for errors.
///
/// An envelope that is not valid is one fault with the rule [`Rule::Envelope`], and so is a method
/// that the sender does not have in the revision, with the rule [`Rule::Variant`] at `$.method`.
///
/// ```
/// use mcp_types::{Revision, Sender, registry};
///
/// let call = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":true}}}"#;
/// # #[cfg(feature = "v2025-11-25")] {
/// let faults = registry::validate_message(Revision::V2025_11_25, Sender::Client, call, None);
/// assert_eq!(faults[0].path().to_string(), "$.params._meta.progressToken");
/// # }
///
/// let result = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#;
/// let method = Some("tools/call");
/// let faults = registry::validate_message(Revision::LATEST, Sender::Server, result, method);
/// assert_eq!(faults[0].to_string(), "missing field `content` (at $.result)");
/// ```
#[must_use]
pub fn validate_message(
    revision: Revision,
    sender: Sender,
    text: &str,
    answered: Option<&str>,
) -> Vec<DecodeError> {
    let unknown = |method: &str| {
        let (method, revision) = (excerpt(method), revision.as_str());
        let error = DecodeError::data(format!("revision {revision} has no method `{method}`"));
        let error = error.with_rule(Rule::Variant, [revision]);
        vec![error.inside_member("method")]
    };
    match rpc::parse_str(text) {
        Err(error) => vec![envelope_fault(&error)],
        Ok(Message::Request { method, .. }) => match request(revision, sender, &method) {
            Some(message) => named(revision, message.name, text),
            None => unknown(&method),
        },
        Ok(Message::Notification { method, .. }) => match notification(revision, sender, &method) {
            Some(message) => named(revision, message.name, text),
            None => unknown(&method),
        },
        Ok(Message::Result { result, .. }) => {
            let Some(method) = answered else {
                return Vec::new();
            };
            let other = match sender {
                Sender::Client => Sender::Server,
                Sender::Server => Sender::Client,
                Sender::Both => Sender::Both,
            };
            match request(revision, other, method).and_then(|message| message.result) {
                Some(name) => inside("result", named(revision, name, result.get())),
                None => unknown(method),
            }
        }
        Ok(Message::Error { error, .. }) => inside("error", named(revision, ERROR, error.get())),
    }
}

/// The definition of the errors of JSON-RPC.
const ERROR: &str = "Error";

fn request(revision: Revision, sender: Sender, method: &str) -> Option<&'static MessageInfo> {
    revision
        .message(method, sender)
        .filter(|it| it.result.is_some())
}

fn notification(revision: Revision, sender: Sender, method: &str) -> Option<&'static MessageInfo> {
    revision
        .message(method, sender)
        .filter(|it| it.result.is_none())
}

/// Validates a text as the type with a name.
fn named(revision: Revision, name: &str, text: &str) -> Vec<DecodeError> {
    find(revision, name).map_or_else(Vec::new, |entry| entry.validate(text))
}

/// Adds the member that was validated to the paths.
fn inside(member: &str, faults: Vec<DecodeError>) -> Vec<DecodeError> {
    let faults = faults.into_iter();
    faults.map(|fault| fault.inside_member(member)).collect()
}

fn envelope_fault(error: &EnvelopeError) -> DecodeError {
    use crate::rpc::Fault;

    let message = error.fault().to_string();
    let member = match error.fault() {
        Fault::Syntax { line, column } => {
            let kind = crate::error::ErrorKind::Syntax { line, column };
            return DecodeError::new(kind, Path::root(), message);
        }
        Fault::WrongVersion => Some("jsonrpc"),
        Fault::MethodType => Some("method"),
        Fault::NullId | Fault::FractionalId | Fault::IdOutOfRange | Fault::IdType => Some("id"),
        Fault::ParamsType => Some("params"),
        _ => None,
    };
    let path = member.map(|name| Segment::Member(name.to_owned()));
    DecodeError::data(message)
        .with_rule::<&str>(Rule::Envelope, [])
        .with_path(path.into_iter().collect())
}
