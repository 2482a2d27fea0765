//! Validation: all faults of a text, by the name of its type or by the method of the message.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{Entry, find, types};
use crate::error::{DecodeError, Rule, Segment, excerpt};
use crate::id::RequestId;
use crate::json;
use crate::message::Sender;
use crate::revisions::Revision;
use crate::rpc::{self, EnvelopeError, Message};

/// The largest number of faults that validation returns.
pub const FAULT_LIMIT: usize = 256;

impl Entry {
    /// Returns all faults of a text, at most [`FAULT_LIMIT`], without encoding it. A text without
    /// faults is one that [`round_trip`](Self::round_trip) accepts.
    ///
    /// See [`json::all_faults`] for what counts as one fault: also what `round_trip` accepts beyond
    /// the schema, such as `null` for an absent member.
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
/// * A result has the type that belongs to the method of the request, which the other side has sent:
///   `answered` returns it for the id of the result. Of a result whose request is unknown (`None`),
///   only what all results have in common is validated. A [`Tracker`](rpc::Tracker) knows the
///   requests of a session.
/// * In revision 2025-11-25, the result of a request whose params may have a `task` may also be a
///   `CreateTaskResult`. Whether the request had a `task` is not known here.
/// * An error response has the type of the revision for errors. Its `id` is required up to
///   2025-06-18, and no revision allows the `null` that JSON-RPC provides for a request without a
///   readable id. Decoding accepts it since 2025-11-25, where `id` is optional.
/// * A batch, which only revision 2025-03-26 has, is valid if all of its messages are, and if these
///   are either requests and notifications, or responses. The faults of a message have its index in
///   front of their path.
///
/// A text that is not JSON is one fault, the error of [`json::from_str`]. An envelope that is not
/// valid is one fault with the rule [`Rule::Envelope`]. This includes what
/// JSON-RPC forbids and the schema allows: an empty batch, and a message that has more than one of
/// `method`, `result` and `error`. A method that the sender does not have in the revision is one fault
/// with the rule [`Rule::Variant`] at `$.method`. If the feature of the revision is disabled, the only
/// fault says so, with the rule [`Rule::Other`].
///
/// ```
/// use mcp_types::{Revision, Sender, registry};
///
/// let call = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":true}}}"#;
/// # #[cfg(feature = "v2025-11-25")] {
/// let faults = registry::validate_message(Revision::V2025_11_25, Sender::Client, call, |_| None);
/// assert_eq!(faults[0].path().to_string(), "$.params._meta.progressToken");
/// # }
///
/// let result = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#;
/// let faults = registry::validate_message(Revision::LATEST, Sender::Server, result, |id| {
///     (*id == 1.into()).then_some("tools/call")
/// });
/// assert_eq!(faults[0].to_string(), "missing field `content` (at $.result)");
/// ```
#[must_use]
pub fn validate_message<'a>(
    revision: Revision,
    sender: Sender,
    text: &str,
    answered: impl Fn(&RequestId) -> Option<&'a str>,
) -> Vec<DecodeError> {
    if types(revision).is_empty() {
        let message = format!("the feature `v{revision}` of `mcp-types` is disabled");
        return vec![DecodeError::data(message)];
    }
    let validation = Validation {
        revision,
        sender,
        answered: &answered,
    };
    if validation.find(&[BATCH]).is_none() {
        return validation.message(text);
    }
    match rpc::split_batch(text.as_bytes(), usize::MAX) {
        Ok(Some(messages)) => validation.batch(&messages),
        Ok(None) => validation.message(text),
        Err(error) => vec![envelope_fault(text, &error)],
    }
}

// Definitions of the schemas. Some have another name in newer revisions, which comes first.
const BATCH: &str = "JSONRPCBatchRequest";
const RESULT: [&str; 2] = ["JSONRPCResultResponse", "JSONRPCResponse"];
const ERROR: [&str; 2] = ["JSONRPCErrorResponse", "JSONRPCError"];
const TASK_RESULT: &str = "CreateTaskResult";

/// The requests of 2025-11-25 whose params may have a `task`.
const TASK_REQUESTS: [&str; 3] = ["tools/call", "sampling/createMessage", "elicitation/create"];

/// The message that is validated, or each message of a batch.
struct Validation<'a, 'b> {
    revision: Revision,
    sender: Sender,
    answered: &'b dyn Fn(&RequestId) -> Option<&'a str>,
}

impl Validation<'_, '_> {
    fn batch(&self, messages: &[&RawValue]) -> Vec<DecodeError> {
        let mut faults = Vec::new();
        let mut has_responses = None;
        for (index, text) in messages.iter().enumerate() {
            let message = rpc::parse_str(text.get());
            let is_response = message.as_ref().map(|message| message.method().is_none());
            let mut found = self.parsed(text.get(), message.as_ref());
            if let Ok(is_response) = is_response
                && *has_responses.get_or_insert(is_response) != is_response
            {
                let message = "a batch has either requests and notifications, or responses";
                found.push(DecodeError::data(message).with_rule::<&str>(Rule::Envelope, []));
            }
            faults.extend(found.into_iter().map(|fault| fault.inside_index(index)));
            if faults.len() >= FAULT_LIMIT {
                faults.truncate(FAULT_LIMIT);
                break;
            }
        }
        faults
    }

    fn message(&self, text: &str) -> Vec<DecodeError> {
        self.parsed(text, rpc::parse_str(text).as_ref())
    }

    fn parsed(
        &self,
        text: &str,
        message: Result<&Message<'_>, &EnvelopeError>,
    ) -> Vec<DecodeError> {
        match message {
            Err(error) => vec![envelope_fault(text, error)],
            Ok(Message::Request { method, .. }) => self.call(method, true, text),
            Ok(Message::Notification { method, .. }) => self.call(method, false, text),
            Ok(Message::Result { id, result, .. }) => match (self.answered)(id) {
                Some(method) => self.result(method, result.get()),
                None => self.named(&RESULT, text),
            },
            Ok(Message::Error { .. }) => self.named(&ERROR, text),
        }
    }

    fn call(&self, method: &str, is_request: bool, text: &str) -> Vec<DecodeError> {
        match self.revision.message(method, self.sender) {
            Some(message) if message.result.is_some() == is_request => {
                self.named(&[message.name], text)
            }
            Some(_) => vec![misplaced_id(method, is_request)],
            None => vec![self.unknown(method, self.sender)],
        }
    }

    /// Validates the result of a request of the other side.
    fn result(&self, method: &str, text: &str) -> Vec<DecodeError> {
        let requester = match self.sender {
            Sender::Client => Sender::Server,
            Sender::Server => Sender::Client,
            Sender::Both => Sender::Both,
        };
        let message = self.revision.message(method, requester);
        let Some(name) = message.and_then(|message| message.result) else {
            return vec![self.unknown(method, requester)];
        };
        let mut faults = self.named(&[name], text);
        let may_be_task = self.revision == Revision::V2025_11_25 && TASK_REQUESTS.contains(&method);
        if may_be_task && !faults.is_empty() {
            let others = self.named(&[TASK_RESULT], text);
            // Without `task`, it was meant as the other result.
            if !others.iter().any(|fault| fault.path().is_root()) {
                faults = others;
            }
        }
        let faults = faults.into_iter();
        faults.map(|fault| fault.inside_member("result")).collect()
    }

    /// Validates a text as the first type that the revision has.
    fn named(&self, names: &[&str], text: &str) -> Vec<DecodeError> {
        self.find(names)
            .map_or_else(Vec::new, |entry| entry.validate(text))
    }

    fn find(&self, names: &[&str]) -> Option<&'static Entry> {
        names.iter().find_map(|name| find(self.revision, name))
    }

    /// Returns the fault for a method that the sender does not have.
    fn unknown(&self, method: &str, sender: Sender) -> DecodeError {
        let (shown, revision) = (excerpt(method), self.revision.as_str());
        let message = match sender {
            Sender::Client if self.revision.has_method(method) => {
                format!("only servers send `{shown}`")
            }
            Sender::Server if self.revision.has_method(method) => {
                format!("only clients send `{shown}`")
            }
            _ => format!("revision {revision} has no method `{shown}`"),
        };
        let error = DecodeError::data(message).with_rule(Rule::Variant, [revision]);
        error.inside_member("method")
    }
}

/// Returns the fault of a request without an id, or of a notification with one.
fn misplaced_id(method: &str, has_id: bool) -> DecodeError {
    let method = excerpt(method);
    if has_id {
        DecodeError::data(format!("`{method}` is a notification, without an id"))
            .with_rule(Rule::UnknownMember, ["id"])
    } else {
        DecodeError::data(format!("`{method}` is a request, with an id"))
            .with_rule(Rule::MissingMember, ["id"])
    }
}

fn envelope_fault(text: &str, error: &EnvelopeError) -> DecodeError {
    use crate::rpc::Fault;

    let member = match error.fault() {
        Fault::Syntax { .. } | Fault::Empty | Fault::ByteOrderMark | Fault::TrailingBytes => {
            if let Err(error) = json::from_str::<IgnoredAny>(text) {
                return error;
            }
            None
        }
        Fault::WrongVersion => Some("jsonrpc"),
        Fault::MethodType => Some("method"),
        Fault::NullId | Fault::FractionalId | Fault::IdOutOfRange | Fault::IdType => Some("id"),
        Fault::ParamsType => Some("params"),
        _ => None,
    };
    let path = member.map(|name| Segment::Member(name.to_owned()));
    DecodeError::data(error.to_string())
        .with_rule::<&str>(Rule::Envelope, [])
        .with_path(path.into_iter().collect())
}
