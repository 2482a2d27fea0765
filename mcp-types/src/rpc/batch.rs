//! Batches: several messages in one text, which only revision 2025-03-26 allows.

use std::fmt;

use serde::de::{self, Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::envelope::{Message, first_byte, parse_str, utf8};
use super::fault::{EnvelopeError, Fault};

/// A message, or a batch of messages.
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    /// One message.
    Single(Message<'a>),
    /// One or more messages, each of which may be invalid on its own.
    Batch(Vec<Result<Message<'a>, EnvelopeError>>),
}

/// Parses a message like [`parse`](super::parse), or a batch of up to `limit` messages.
///
/// # Errors
///
/// Returns an [`EnvelopeError`] if the text is not JSON, is a single invalid message, or is a batch
/// that is empty or too long. A batch within a batch is an error of that element only.
pub fn parse_batch(bytes: &[u8], limit: usize) -> Result<Incoming<'_>, EnvelopeError> {
    let text = utf8(bytes)?;
    if first_byte(text) != Some(b'[') {
        return parse_str(text).map(Incoming::Single);
    }
    let mut too_long = false;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let elements = deserializer.deserialize_seq(Elements {
        limit,
        too_long: &mut too_long,
    });
    if too_long {
        return Err(Fault::BatchTooLong.into());
    }
    let elements = elements?;
    deserializer.end().map_err(|_| Fault::TrailingBytes)?;
    if elements.is_empty() {
        return Err(Fault::EmptyBatch.into());
    }
    Ok(Incoming::Batch(
        elements
            .into_iter()
            .map(|element| parse_str(element.get()))
            .collect(),
    ))
}

struct Elements<'a> {
    limit: usize,
    /// Distinguishes this error from an error in the text, which has the same type.
    too_long: &'a mut bool,
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a batch of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            if elements.len() == self.limit {
                *self.too_long = true;
                return Err(de::Error::custom("batch has too many elements"));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}
