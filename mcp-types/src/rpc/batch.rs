//! Batches: several messages in one text, which only revision 2025-03-26 allows.

use std::fmt;

use serde::de::{self, Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::envelope::{first_byte, parse, parse_str, utf8};
use super::fault::{EnvelopeError, Fault};
use super::message::Message;

/// A message, or a batch of messages.
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    /// One message.
    Single(Message<'a>),
    /// One or more messages, each of which may be invalid on its own.
    Batch(Vec<Result<Message<'a>, EnvelopeError>>),
}

impl<'a> Incoming<'a> {
    /// Returns the message, or the messages of the batch in their order.
    #[must_use]
    pub fn into_messages(self) -> Vec<Result<Message<'a>, EnvelopeError>> {
        match self {
            Self::Single(message) => vec![Ok(message)],
            Self::Batch(messages) => messages,
        }
    }
}

/// Parses a message like [`parse`](super::parse), or a batch of up to `limit` messages.
///
/// # Errors
///
/// Returns an [`EnvelopeError`] if the text is not JSON, is a single invalid message, or is a batch
/// that is empty or too long. A batch within a batch is an error of that element only.
///
/// ```
/// use mcp_types::rpc::parse_batch;
///
/// let text = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},7]"#;
/// let messages = parse_batch(text, 100)?.into_messages();
/// assert_eq!(messages[0].as_ref().map(|message| message.method()), Ok(Some("ping")));
/// assert_eq!(messages[1].as_ref().unwrap_err().to_string(), "message is not an object");
/// # Ok::<(), mcp_types::rpc::EnvelopeError>(())
/// ```
pub fn parse_batch(bytes: &[u8], limit: usize) -> Result<Incoming<'_>, EnvelopeError> {
    let Some(elements) = split_batch(bytes, limit)? else {
        return parse(bytes).map(Incoming::Single);
    };
    let messages = elements.into_iter();
    Ok(Incoming::Batch(
        messages.map(|element| parse_str(element.get())).collect(),
    ))
}

/// Splits a batch of up to `limit` messages into the texts of its elements, which are JSON values
/// but need not be messages. Returns `None` if the text is not a batch. For recorders and gateways,
/// which pass the elements on unchanged.
///
/// ```
/// use mcp_types::rpc::split_batch;
///
/// let elements = split_batch(br#"[{"jsonrpc":"2.0","method":"a"}, 1.0]"#, 10)?;
/// let elements = elements.expect("it is a batch");
/// assert_eq!(elements[0].get(), r#"{"jsonrpc":"2.0","method":"a"}"#);
/// assert_eq!(elements[1].get(), "1.0");
/// assert!(split_batch(b"{}", 10)?.is_none());
/// # Ok::<(), mcp_types::rpc::EnvelopeError>(())
/// ```
///
/// # Errors
///
/// Returns an [`EnvelopeError`] if the text is not UTF-8, or is a batch that is not JSON, empty or
/// too long.
pub fn split_batch(bytes: &[u8], limit: usize) -> Result<Option<Vec<&RawValue>>, EnvelopeError> {
    let text = utf8(bytes)?;
    if first_byte(text) != Some(b'[') {
        return Ok(None);
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
    Ok(Some(elements))
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
