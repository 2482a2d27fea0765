//! One pass over a message: members are told apart, their values are skipped and lent.

use std::borrow::Cow;

use serde::de::{Deserialize as _, Deserializer as _, IgnoredAny};
use serde_json::value::RawValue;

use super::bodies::Raw;
use super::fault::{EnvelopeError, Fault};
use super::members::{MembersVisitor, read_params};
use crate::id::RequestId;

/// Members that are no part of JSON-RPC, in order: at most 1,000.
pub type Extra<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// A message, told by its envelope. All text is lent from the message.
///
/// What it carries is raw JSON, or what [`decode`](super::decode) made of it.
#[derive(Clone, Debug)]
pub enum Message<'a, P = &'a RawValue, R = &'a RawValue> {
    /// Asks for a result.
    Request {
        /// What the response must carry.
        id: RequestId,
        /// What is asked for.
        method: Cow<'a, str>,
        /// An object, if present; a `null` counts as absent.
        params: Option<P>,
        /// Members that are no part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// Tells something and expects nothing.
    Notification {
        /// What is told.
        method: Cow<'a, str>,
        /// An object, if present; a `null` counts as absent.
        params: Option<P>,
        /// Members that are no part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// Answers a request.
    Result {
        /// The request's id.
        id: RequestId,
        /// Any JSON: the request's method decides its type.
        result: R,
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

impl<'a, P, R> Message<'a, P, R> {
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
            let members = deserializer.deserialize_map(MembersVisitor(Raw))?;
            deserializer.end().map_err(|_| Fault::TrailingBytes)?;
            members.message(read_params)
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
