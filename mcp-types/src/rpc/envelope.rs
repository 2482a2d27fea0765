//! Parses a message in one pass: identifies its members and borrows their values without decoding
//! them.

use std::borrow::Cow;

use serde::de::{Deserialize as _, Deserializer as _, IgnoredAny};
use serde_json::value::RawValue;

use super::bodies::Raw;
use super::fault::{EnvelopeError, Fault};
use super::members::{MembersVisitor, read_params};
use crate::id::RequestId;

/// Members that are not part of JSON-RPC, in order. At most 1,000.
pub type Extra<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// A message, classified by its envelope. All text is borrowed from the input.
///
/// The body is raw JSON, or the value decoded by [`decode`](super::decode).
#[derive(Clone, Debug)]
pub enum Message<'a, P = &'a RawValue, R = &'a RawValue> {
    /// A request that expects a response.
    Request {
        /// The id that the response must have.
        id: RequestId,
        /// The method.
        method: Cow<'a, str>,
        /// An object, if present. `null` is treated as absent.
        params: Option<P>,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// A message without a response.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// An object, if present. `null` is treated as absent.
        params: Option<P>,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// A successful response.
    Result {
        /// The id of the request.
        id: RequestId,
        /// Any JSON. The method of the request determines its type.
        result: R,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// An error response.
    Error {
        /// The id of the request; absent (or `null`) if the peer could not read it.
        id: Option<RequestId>,
        /// Any JSON; normally an [`ErrorObject`](super::ErrorObject).
        error: &'a RawValue,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
}

impl<'a, P, R> Message<'a, P, R> {
    /// Returns the id, if the message has one.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Request { id, .. } | Self::Result { id, .. } => Some(id),
            Self::Error { id, .. } => id.as_ref(),
            Self::Notification { .. } => None,
        }
    }

    /// Returns the method of a request or a notification.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => Some(method),
            Self::Result { .. } | Self::Error { .. } => None,
        }
    }

    /// Returns the members that are not part of JSON-RPC, in order, with their values as raw JSON.
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

/// Parses the envelope of a message.
///
/// `params`, `result` and `error` are only checked to be valid JSON. They may nest deeper than
/// decoding allows, so that a server can respond to a request with such params.
///
/// # Errors
///
/// Returns an [`EnvelopeError`] with the reason, and with the id if it could be read.
pub fn parse(bytes: &[u8]) -> Result<Message<'_>, EnvelopeError> {
    parse_str(utf8(bytes)?)
}

/// Parses the envelope of a message, like [`parse`].
///
/// # Errors
///
/// Returns the same errors as [`parse`].
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

/// Checks the whole input, because `serde_json` does not check bytes that it skips.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, EnvelopeError> {
    std::str::from_utf8(bytes).map_err(|error| {
        Fault::NotUtf8 {
            valid_up_to: error.valid_up_to(),
        }
        .into()
    })
}

/// Returns the first byte that is not white space.
pub(super) fn first_byte(text: &str) -> Option<u8> {
    text.bytes()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}
