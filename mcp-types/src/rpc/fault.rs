//! What can be wrong with an envelope, and what to answer.

use std::fmt;

use super::object::{INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR};
use crate::id::RequestId;

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are no UTF-8.
    NotUtf8 {
        /// How many bytes before the fault are sound.
        valid_up_to: usize,
    },
    /// The text is no JSON, or ends too early. Line and column count from one.
    Syntax {
        /// The line of the fault.
        line: usize,
        /// The column of the fault, in bytes.
        column: usize,
    },
    /// More than white space follows the message.
    TrailingBytes,
    /// The message is JSON, but no object.
    NotAnObject,
    /// The message is an array where batches are not allowed.
    BatchNotAllowed,
    /// The batch is empty.
    EmptyBatch,
    /// The batch has more elements than the limit.
    BatchTooLong,
    /// A member stands twice.
    DuplicateMember,
    /// More than 1,000 members are no part of JSON-RPC.
    TooManyMembers,
    /// There is no `jsonrpc`.
    MissingVersion,
    /// `jsonrpc` is not the string `2.0`.
    WrongVersion,
    /// There is none of `method`, `result` and `error`.
    NoKind,
    /// There are both `result` and `error`.
    ResultAndError,
    /// There is a `method` and a `result` or an `error`.
    MethodAndResponse,
    /// `method` is no string.
    MethodType,
    /// A result has no `id`.
    MissingId,
    /// `id` is `null`, where it must not be.
    NullId,
    /// `id` is a number with a fraction.
    FractionalId,
    /// `id` is an integer that exceeds 64 bits.
    IdOutOfRange,
    /// `id` is neither a string nor a number.
    IdType,
    /// `params` is no object.
    ParamsType,
}

/// A message that is refused before anything it carries is looked at.
///
/// It says what is wrong and never repeats what the peer wrote.
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

    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// The message's id, if it could be read.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }

    /// Whether the message is meant as a response: it has no method, but a result or an error.
    ///
    /// A response is never answered, not even a faulty one: two peers that answer each other's
    /// faults would never end.
    #[must_use]
    pub fn is_response(&self) -> bool {
        self.response
    }

    /// The JSON-RPC code to answer with.
    #[must_use]
    pub fn code(&self) -> i64 {
        match self.fault {
            Fault::NotUtf8 { .. } | Fault::Syntax { .. } | Fault::TrailingBytes => PARSE_ERROR,
            // The envelope of a request is sound, and the fault is in what the method takes.
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
            Self::TrailingBytes => "more than white space follows the message",
            Self::NotAnObject => "message is not an object",
            Self::BatchNotAllowed => "batches are not part of this revision",
            Self::EmptyBatch => "batch is empty",
            Self::BatchTooLong => "batch has too many elements",
            Self::DuplicateMember => "message has a member twice",
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
