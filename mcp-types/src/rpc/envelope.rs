//! One pass over a message: members are told apart, their values are skipped and lent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize as _, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::{EnvelopeError, Fault};
use crate::id::RequestId;
use crate::json::Number;

/// Members that are no part of JSON-RPC, in order.
pub type Extra<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// A message, told by its envelope. All text is lent from the message.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// Asks for a result.
    Request {
        /// What the response must carry.
        id: RequestId,
        /// What is asked for.
        method: Cow<'a, str>,
        /// An object, if present; a `null` counts as absent.
        params: Option<&'a RawValue>,
        /// Members that are no part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// Tells something and expects nothing.
    Notification {
        /// What is told.
        method: Cow<'a, str>,
        /// An object, if present; a `null` counts as absent.
        params: Option<&'a RawValue>,
        /// Members that are no part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// Answers a request.
    Result {
        /// The request's id.
        id: RequestId,
        /// Any JSON: the request's method decides its type.
        result: &'a RawValue,
        /// Members that are no part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// Refuses a request.
    Error {
        /// The request's id; absent (or `null`) where the peer could not read it.
        id: Option<RequestId>,
        /// Any JSON, meant to be an [`ErrorObject`](super::ErrorObject).
        error: &'a RawValue,
        /// Members that are no part of JSON-RPC.
        extra: Extra<'a>,
    },
}

impl<'a> Message<'a> {
    /// The id, if the message has one.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Request { id, .. } | Self::Result { id, .. } => Some(id),
            Self::Error { id, .. } => id.as_ref(),
            Self::Notification { .. } => None,
        }
    }

    /// The method of a request or a notification.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => Some(method),
            Self::Result { .. } | Self::Error { .. } => None,
        }
    }

    /// The members that are no part of JSON-RPC, in order, their values as they were written.
    #[must_use]
    pub fn extra(&self) -> &[(Cow<'a, str>, &'a RawValue)] {
        match self {
            Self::Request { extra, .. }
            | Self::Notification { extra, .. }
            | Self::Result { extra, .. }
            | Self::Error { extra, .. } => extra,
        }
    }
}

/// Tells what message the bytes are.
///
/// `params`, `result` and `error` are checked to be JSON, no more; in particular they may nest
/// deeper than a later decoding allows, so that a request with such params can be answered.
///
/// # Errors
///
/// An [`EnvelopeError`] that says what is wrong, with the id if it could be read.
pub fn parse(bytes: &[u8]) -> Result<Message<'_>, EnvelopeError> {
    parse_str(utf8(bytes)?)
}

/// As [`parse`], of text.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_str(text: &str) -> Result<Message<'_>, EnvelopeError> {
    match first_byte(text) {
        Some(b'{') => {
            let mut deserializer = serde_json::Deserializer::from_str(text);
            let members = deserializer.deserialize_map(MembersVisitor)?;
            deserializer.end().map_err(|_| Fault::TrailingBytes)?;
            members.message()
        }
        first => {
            let mut deserializer = serde_json::Deserializer::from_str(text);
            IgnoredAny::deserialize(&mut deserializer)?;
            deserializer.end().map_err(|_| Fault::TrailingBytes)?;
            let batch = first == Some(b'[');
            Err(if batch {
                Fault::BatchNotAllowed
            } else {
                Fault::NotAnObject
            }
            .into())
        }
    }
}

/// Checked as a whole, because `serde_json` does not look at bytes that it skips.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, EnvelopeError> {
    std::str::from_utf8(bytes).map_err(|error| {
        Fault::NotUtf8 {
            valid_up_to: error.valid_up_to(),
        }
        .into()
    })
}

/// The first byte that is no white space.
pub(super) fn first_byte(text: &str) -> Option<u8> {
    text.bytes()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The members of a message as they stand.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Slot<'a>,
    id: Slot<'a>,
    method: Slot<'a>,
    params: Slot<'a>,
    result: Slot<'a>,
    error: Slot<'a>,
    extra: Extra<'a>,
}

#[derive(Clone, Copy, Default)]
enum Slot<'a> {
    #[default]
    Absent,
    Once(&'a RawValue),
    Twice,
}

impl<'a> Slot<'a> {
    fn fill(&mut self, value: &'a RawValue) {
        *self = match self {
            Self::Absent => Self::Once(value),
            Self::Once(_) | Self::Twice => Self::Twice,
        };
    }

    fn is_twice(self) -> bool {
        matches!(self, Self::Twice)
    }

    fn is_there(self) -> bool {
        !matches!(self, Self::Absent)
    }

    fn value(self) -> Option<&'a RawValue> {
        match self {
            Self::Once(value) => Some(value),
            Self::Absent | Self::Twice => None,
        }
    }
}

impl<'a> Members<'a> {
    fn message(self) -> Result<Message<'a>, EnvelopeError> {
        let id = self.id.value().map(read_id).transpose();
        let is_response =
            !self.method.is_there() && (self.result.is_there() || self.error.is_there());
        let known = id.clone().ok().flatten();
        self.classify(id)
            .map_err(|fault| EnvelopeError::new(fault, known, is_response))
    }

    fn classify(self, id: Result<Option<RequestId>, Fault>) -> Result<Message<'a>, Fault> {
        let slots = [
            self.jsonrpc,
            self.id,
            self.method,
            self.params,
            self.result,
            self.error,
        ];
        if slots.into_iter().any(Slot::is_twice) || has_duplicate(&self.extra) {
            return Err(Fault::DuplicateMember);
        }
        match self.jsonrpc.value().map(string) {
            None => return Err(Fault::MissingVersion),
            Some(Some(version)) if version == "2.0" => {}
            Some(_) => return Err(Fault::WrongVersion),
        }
        let extra = self.extra;
        match (self.method.value(), self.result.value(), self.error.value()) {
            (Some(method), None, None) => {
                let method = string(method).ok_or(Fault::MethodType)?;
                let params = self.params.value().map(read_params).transpose()?.flatten();
                Ok(match id? {
                    Some(id) => Message::Request {
                        id,
                        method,
                        params,
                        extra,
                    },
                    None => Message::Notification {
                        method,
                        params,
                        extra,
                    },
                })
            }
            (None, Some(result), None) => {
                let id = id?.ok_or(Fault::MissingId)?;
                Ok(Message::Result { id, result, extra })
            }
            (None, None, Some(error)) => match id {
                Ok(id) => Ok(Message::Error { id, error, extra }),
                Err(Fault::NullId) => Ok(Message::Error {
                    id: None,
                    error,
                    extra,
                }),
                Err(fault) => Err(fault),
            },
            (None, None, None) => Err(Fault::NoKind),
            (None, Some(_), Some(_)) => Err(Fault::ResultAndError),
            (Some(_), _, _) => Err(Fault::MethodAndResponse),
        }
    }
}

/// A string, lent where it has no escapes; `None` for anything else.
fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    let inner = value.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(value.get()).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn read_id(value: &RawValue) -> Result<RequestId, Fault> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'"') => string(value)
            .map(|id| RequestId::String(id.into_owned()))
            .ok_or(Fault::IdType),
        Some(b'-' | b'0'..=b'9') => {
            if let Ok(id) = text.parse() {
                return Ok(RequestId::Number(id));
            }
            match serde_json::from_str::<Number>(text) {
                Ok(number) if number.is_integer() => number
                    .to_i64()
                    .map(RequestId::Number)
                    .ok_or(Fault::IdOutOfRange),
                Ok(_) => Err(Fault::FractionalId),
                // The only numbers that cannot be read are those beyond the floats.
                Err(_) => Err(Fault::IdOutOfRange),
            }
        }
        Some(b'n') => Err(Fault::NullId),
        _ => Err(Fault::IdType),
    }
}

fn read_params(value: &RawValue) -> Result<Option<&RawValue>, Fault> {
    match value.get().as_bytes().first() {
        Some(b'{') => Ok(Some(value)),
        Some(b'n') => Ok(None),
        _ => Err(Fault::ParamsType),
    }
}

/// Whether an unknown member stands twice.
fn has_duplicate(extra: &Extra<'_>) -> bool {
    if extra.len() < 2 {
        return false;
    }
    // Sorted: a peer chooses how many there are.
    let mut names: Vec<&str> = extra.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    names
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b))
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        while let Some(name) = access.next_key_seed(Name)? {
            let value: &RawValue = access.next_value()?;
            match &*name {
                "jsonrpc" => members.jsonrpc.fill(value),
                "id" => members.id.fill(value),
                "method" => members.method.fill(value),
                "params" => members.params.fill(value),
                "result" => members.result.fill(value),
                "error" => members.error.fill(value),
                _ => members.extra.push((name, value)),
            }
        }
        Ok(members)
    }
}

/// A member's name, lent where it has no escapes: serde's own `Cow` always copies.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
