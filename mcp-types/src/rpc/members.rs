//! The members of a message: collected while the text is parsed, validated at its end.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor,
};
use serde_json::value::RawValue;

use super::bodies::{Bodies, Outcome, Params};
use super::fault::{EnvelopeError, Fault};
use super::message::{Extra, Message};
use crate::codec::Key;
use crate::id::RequestId;
use crate::json::Number;
use crate::json::map::twice;

/// The maximum number of members that are not part of JSON-RPC. Each is kept with its name, which
/// takes many times the memory of a short text.
const EXTRA_MEMBERS: usize = 1_000;

/// The members of a message, not validated yet.
pub(super) struct Members<'a, P, R> {
    /// `true` if the version is correct.
    jsonrpc: Option<bool>,
    /// An error if `id` is present twice, because then the right one is unknown.
    id: Option<Result<&'a RawValue, Fault>>,
    /// An error if `method` is not a string.
    method: Option<Result<Cow<'a, str>, Fault>>,
    params: Option<P>,
    result: Option<R>,
    error: Option<&'a RawValue>,
    extra: Extra<'a>,
    /// `true` if there are more unknown members than are kept.
    has_too_many: bool,
    /// `true` if one of these members is present twice.
    twice: bool,
}

/// The content of a valid message besides its id.
enum Content<'a, P, R> {
    Call(Cow<'a, str>, Option<P>),
    Result(R),
    Error(&'a RawValue),
}

impl<'a, P, R> Members<'a, P, R> {
    /// Validates the members and creates the message. `check` validates the params.
    pub(super) fn message(
        mut self,
        check: impl Fn(P) -> Result<Option<P>, Fault>,
    ) -> Result<Message<'a, P, R>, EnvelopeError> {
        let id = self.id.take().map(|id| id.and_then(read_id)).transpose();
        let response = self.method.is_none() && (self.result.is_some() || self.error.is_some());
        let content = match self.content(id.as_ref().err(), check) {
            Ok(content) => content,
            Err(fault) => return Err(EnvelopeError::new(fault, id.ok().flatten(), response)),
        };
        let extra = self.extra;
        match (content, id.ok().flatten()) {
            (Content::Call(method, params), Some(id)) => Ok(Message::Request {
                id,
                method,
                params,
                extra,
            }),
            (Content::Call(method, params), None) => Ok(Message::Notification {
                method,
                params,
                extra,
            }),
            (Content::Result(result), Some(id)) => Ok(Message::Result { id, result, extra }),
            (Content::Result(_), None) => Err(EnvelopeError::new(Fault::MissingId, None, response)),
            (Content::Error(error), id) => Ok(Message::Error { id, error, extra }),
        }
    }

    fn content(
        &mut self,
        bad_id: Option<&Fault>,
        check: impl Fn(P) -> Result<Option<P>, Fault>,
    ) -> Result<Content<'a, P, R>, Fault> {
        if self.has_too_many {
            return Err(Fault::TooManyMembers);
        }
        if self.twice || has_duplicate(&self.extra) {
            return Err(Fault::DuplicateMember);
        }
        match self.jsonrpc {
            None => return Err(Fault::MissingVersion),
            Some(false) => return Err(Fault::WrongVersion),
            Some(true) => {}
        }
        let content = match (self.method.take(), self.result.take(), self.error) {
            (Some(method), None, None) => Content::Call(
                method?,
                self.params.take().map(check).transpose()?.flatten(),
            ),
            (None, Some(result), None) => Content::Result(result),
            (None, None, Some(error)) => Content::Error(error),
            (None, None, None) => return Err(Fault::NoKind),
            (None, Some(_), Some(_)) => return Err(Fault::ResultAndError),
            (Some(_), _, _) => return Err(Fault::MethodAndResponse),
        };
        match (&content, bad_id) {
            // A peer that could not read the id of a request cannot return it.
            (_, None) | (Content::Error(_), Some(Fault::NullId)) => Ok(content),
            (_, Some(fault)) => Err(*fault),
        }
    }
}

/// Decodes a string, borrowed if it has no escapes.
fn string(value: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    let text = value.get();
    match text.get(1..text.len() - 1) {
        Some(inner) if !inner.as_bytes().contains(&b'\\') => Ok(Cow::Borrowed(inner)),
        _ => serde_json::from_str(text).map(Cow::Owned),
    }
}

pub(super) fn read_id(value: &RawValue) -> Result<RequestId, Fault> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'"') => string(value)
            .map(|id| RequestId::String(id.into_owned()))
            .map_err(|_| Fault::IdType),
        Some(b'-' | b'0'..=b'9') => {
            if let Ok(id) = text.parse() {
                return Ok(RequestId::Number(id));
            }
            match text.parse::<serde_json::Number>().map(Number::from) {
                Ok(number) if number.is_integer() => number
                    .to_i64()
                    .map(RequestId::Number)
                    .ok_or(Fault::IdOutOfRange),
                Ok(_) => Err(Fault::FractionalId),
                // The only numbers that cannot be read are those beyond the range of floats.
                Err(_) => Err(Fault::IdOutOfRange),
            }
        }
        Some(b'n') => Err(Fault::NullId),
        _ => Err(Fault::IdType),
    }
}

pub(super) fn read_params(value: &RawValue) -> Result<Option<&RawValue>, Fault> {
    match value.get().as_bytes().first() {
        Some(b'{') => Ok(Some(value)),
        Some(b'n') => Ok(None),
        _ => Err(Fault::ParamsType),
    }
}

/// Returns `true` if an unknown member is present twice.
fn has_duplicate(extra: &Extra<'_>) -> bool {
    if extra.len() < 2 {
        return false;
    }
    twice(extra.iter().map(|(name, _)| &**name)).is_some()
}

/// Collects the members; their bodies are decoded by [`Bodies`].
pub(super) struct MembersVisitor<B>(pub(super) B);

impl<'de, B: Bodies<'de>> Visitor<'de> for MembersVisitor<B> {
    type Value = Members<'de, B::Params, B::Result>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut members = Members {
            jsonrpc: None,
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
            extra: Vec::new(),
            has_too_many: false,
            twice: false,
        };
        while let Some(Key(name)) = access.next_key()? {
            let twice = match &*name {
                "jsonrpc" => {
                    let version = access.next_value_seed(Text)?;
                    members
                        .jsonrpc
                        .replace(version.is_some_and(|text| text == "2.0"))
                        .is_some()
                }
                "id" => {
                    let id = access.next_value()?;
                    let twice = members.id.is_some();
                    members.id = Some(if twice {
                        Err(Fault::DuplicateMember)
                    } else {
                        Ok(id)
                    });
                    twice
                }
                "method" => {
                    let method = access.next_value_seed(Text)?.ok_or(Fault::MethodType);
                    members.method.replace(method).is_some()
                }
                "params" => {
                    let method = members
                        .method
                        .as_ref()
                        .and_then(|method| method.as_deref().ok());
                    let params = access.next_value_seed(Params(&mut self.0, method))?;
                    members.params.replace(params).is_some()
                }
                "result" => {
                    let id = members.id.and_then(Result::ok);
                    let result = access.next_value_seed(Outcome(&mut self.0, id))?;
                    members.result.replace(result).is_some()
                }
                "error" => members.error.replace(access.next_value()?).is_some(),
                // The rest is read for the `id` alone, which the error response repeats.
                _ if members.extra.len() >= EXTRA_MEMBERS => {
                    let IgnoredAny = access.next_value()?;
                    members.has_too_many = true;
                    false
                }
                _ => {
                    members.extra.push((name, access.next_value()?));
                    false
                }
            };
            members.twice |= twice;
        }
        Ok(members)
    }
}

/// Decodes a string, borrowed if it has no escapes; `None` for any other value.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let value = <&RawValue>::deserialize(deserializer)?;
        text(value).map_err(D::Error::custom)
    }
}

/// Does the same for a value that was only skipped, so its escapes may still be invalid.
fn text(value: &RawValue) -> serde_json::Result<Option<Cow<'_, str>>> {
    match value.get().as_bytes().first() {
        Some(b'"') => string(value).map(Some),
        Some(b'-' | b'0'..=b'9') => value.get().parse::<serde_json::Number>().map(|_| None),
        _ => Ok(None),
    }
}
