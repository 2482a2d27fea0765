//! Errors in an envelope, and the codes for the response.

use std::fmt;

use super::code::{INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR};
use crate::id::RequestId;

/// The reason why a message is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are not UTF-8.
    NotUtf8 {
        /// The number of valid bytes before the error.
        valid_up_to: usize,
    },
    /// The text is empty, or is only white space.
    Empty,
    /// The text begins with a byte order mark, which JSON does not allow.
    ByteOrderMark,
    /// The text is not valid JSON, or ends too early. Line and column are counted from one.
    Syntax {
        /// The line of the error.
        line: usize,
        /// The column of the error, in bytes.
        column: usize,
    },
    /// The message is followed by something other than white space.
    TrailingBytes,
    /// The message is valid JSON, but not an object.
    NotAnObject,
    /// The message is an array where batches are not allowed.
    BatchNotAllowed,
    /// The batch is empty.
    EmptyBatch,
    /// The batch has more elements than the limit.
    BatchTooLong,
    /// A member is present twice.
    DuplicateMember,
    /// More than 1,000 members are not part of JSON-RPC.
    TooManyMembers,
    /// `jsonrpc` is missing.
    MissingVersion,
    /// `jsonrpc` is not the string `2.0`.
    WrongVersion,
    /// `method`, `result` and `error` are all missing.
    NoKind,
    /// Both `result` and `error` are present.
    ResultAndError,
    /// `method` is present together with `result` or `error`.
    MethodAndResponse,
    /// `method` is not a string.
    MethodType,
    /// A result has no `id`.
    MissingId,
    /// `id` is `null`, which is not allowed here.
    NullId,
    /// `id` is a number with a fraction.
    FractionalId,
    /// `id` is an integer that exceeds 64 bits.
    IdOutOfRange,
    /// `id` is neither a string nor a number.
    IdType,
    /// `params` is not an object.
    ParamsType,
}

/// The error for a message with an invalid envelope.
///
/// It never repeats text of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopeError {
    fault: Fault,
    id: Option<RequestId>,
    response: bool,
}

impl EnvelopeError {
    pub(super) fn new(fault: Fault, id: Option<RequestId>, response: bool) -> Self {
        Self {
            fault,
            id,
            response,
        }
    }

    /// Returns the reason.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// Returns the id of the message, if it could be read.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }

    /// Returns `true` if the message is meant as a response: it has a result or an error, but no
    /// method.
    ///
    /// Do not respond to a response, not even to an invalid one: two peers that respond to each
    /// other's errors would never stop.
    #[must_use]
    pub fn is_response(&self) -> bool {
        self.response
    }

    /// Returns the JSON-RPC error code for the response.
    #[must_use]
    pub fn code(&self) -> i64 {
        match self.fault {
            Fault::NotUtf8 { .. }
            | Fault::Empty
            | Fault::ByteOrderMark
            | Fault::Syntax { .. }
            | Fault::TrailingBytes => PARSE_ERROR,
            // The envelope of the request is valid, so the error is in the params of the method.
            Fault::ParamsType if self.id.is_some() => INVALID_PARAMS,
            _ => INVALID_REQUEST,
        }
    }
}

impl From<Fault> for EnvelopeError {
    fn from(fault: Fault) -> Self {
        Self::new(fault, None, false)
    }
}

impl From<serde_json::Error> for EnvelopeError {
    fn from(error: serde_json::Error) -> Self {
        Fault::Syntax {
            line: error.line(),
            column: error.column(),
        }
        .into()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotUtf8 { valid_up_to } => {
                return write!(f, "message is not UTF-8 after {valid_up_to} bytes");
            }
            Self::Syntax { line, column } => {
                return write!(f, "message is not JSON at line {line} column {column}");
            }
            Self::Empty => "message is empty",
            Self::ByteOrderMark => "message begins with a byte order mark",
            Self::TrailingBytes => "the message is followed by something other than white space",
            Self::NotAnObject => "message is not an object",
            Self::BatchNotAllowed => "expected one message, found a batch",
            Self::EmptyBatch => "batch is empty",
            Self::BatchTooLong => "batch has too many elements",
            Self::DuplicateMember => "message has a duplicate member",
            Self::TooManyMembers => "message has more than 1000 unknown members",
            Self::MissingVersion => "message has no `jsonrpc`",
            Self::WrongVersion => "`jsonrpc` is not \"2.0\"",
            Self::NoKind => "message has no `method`, `result` or `error`",
            Self::ResultAndError => "message has both `result` and `error`",
            Self::MethodAndResponse => "message has both `method` and `result` or `error`",
            Self::MethodType => "`method` is not a string",
            Self::MissingId => "result has no `id`",
            Self::NullId => "`id` is null",
            Self::FractionalId => "`id` has a fraction",
            Self::IdOutOfRange => "`id` exceeds 64 bits",
            Self::IdType => "`id` is not a string or an integer",
            Self::ParamsType => "`params` is not an object",
        })
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl std::error::Error for EnvelopeError {}
