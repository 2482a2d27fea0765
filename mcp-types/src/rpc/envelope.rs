//! Parses a message in one pass: identifies its members and borrows their values without decoding
//! them.

use serde::de::{Deserialize as _, Deserializer as _, IgnoredAny};

use super::bodies::Raw;
use super::fault::{EnvelopeError, Fault};
use super::members::{MembersVisitor, read_params};
use super::message::Message;
use crate::json::syntax::BYTE_ORDER_MARK;

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
        None => Err(Fault::Empty.into()),
        Some(_) if text.starts_with(BYTE_ORDER_MARK) => Err(Fault::ByteOrderMark.into()),
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
