//! [`ErrorObject`]: the `error` of an error response.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::code::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR};
use super::fault::EnvelopeError;
use crate::codec::{Declared, Extra, FromMembers, Reader, Table, need, read_object};
use crate::error::DecodeError;
use crate::json::{self, Decode, Text, Value, read};

/// The `error` of an error response.
///
/// Members other than these three are not kept. If you need them, read the raw JSON of
/// [`Message::Error`](super::Message::Error).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ErrorObject {
    /// The kind of the error, for programs.
    pub code: i64,
    /// A description of the error for people: one short sentence.
    pub message: String,
    /// Further information, as documented for the method.
    pub data: Option<Value>,
}

impl ErrorObject {
    /// Creates an error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Creates a parse error, -32700: the text is not valid JSON.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(PARSE_ERROR, message)
    }

    /// Creates an invalid request error, -32600: the JSON is not a valid message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    /// Creates a method not found error, -32601.
    pub fn method_not_found(message: impl Into<String>) -> Self {
        Self::new(METHOD_NOT_FOUND, message)
    }

    /// Creates an invalid params error, -32602.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// Creates an internal error, -32603: the receiver failed to process the request.
    pub fn internal_error(message: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, message)
    }

    /// Sets the data of the error.
    #[must_use]
    pub fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl From<&EnvelopeError> for ErrorObject {
    fn from(error: &EnvelopeError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

impl Serialize for ErrorObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2 + usize::from(self.data.is_some())))?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(data) = &self.data {
            map.serialize_entry("data", data)?;
        }
        map.end()
    }
}

/// An [`ErrorObject`] with the members that it does not keep, so that duplicates are detected.
struct WithExtra {
    error: ErrorObject,
    extra: Extra,
}

impl Decode for WithExtra {
    fn vacant() -> Self {
        Self {
            error: ErrorObject::vacant(),
            extra: Extra::new(),
        }
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        read_object(self, text)
    }
}

impl FromMembers for WithExtra {
    const TABLE: Table = Table::new(
        "Error",
        &[
            Declared::new(0, "code", need::int),
            Declared::new(1, "message", need::required),
            Declared::new(2, "data", need::nullable),
        ],
        &["code", "message", "data"],
    );

    fn read_member(&mut self, at: u8, reader: &mut Reader<'_, '_>) -> Result<(), DecodeError> {
        match at {
            0 => reader.int(&mut self.error.code, i64::MIN..=i64::MAX),
            1 => reader.required(&mut self.error.message),
            2 => reader.nullable(&mut self.error.data),
            _ => reader.extra(&mut self.extra),
        }
    }
}

impl Decode for ErrorObject {
    fn vacant() -> Self {
        Self {
            code: 0,
            message: String::new(),
            data: None,
        }
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        *self = read::<WithExtra>(text)?.error;
        Ok(())
    }
}

json::deserialize_from_text! { ErrorObject }
