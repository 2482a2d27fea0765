//! [`Answer`]: a response message.

use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{HEADER_MISMATCH, RequestId};

use crate::protocol::error::challenge::Challenge;

/// A response message and what it means for a transport with status codes.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: Vec<u8>,
    pub(crate) refused: Option<Rejection>,
}

/// Why a request was not served at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The request is malformed, or its revision or capabilities do not fit: 400.
    Malformed,
    /// The headers contradict the body, or the protocol version is not supported. Always answered
    /// with 400.
    Mismatch,
    /// There is no such method: 404.
    NoMethod,
    /// The caller must not do this: 403, with a challenge if another access token would help.
    Forbidden(Option<Box<Challenge>>),
}

impl Rejection {
    /// Returns how a request is rejected whose params were not accepted.
    pub(crate) fn of_code(code: i64) -> Self {
        match code {
            rpc::METHOD_NOT_FOUND => Self::NoMethod,
            HEADER_MISMATCH => Self::Mismatch,
            _ => Self::Malformed,
        }
    }
}

impl Answer {
    pub(crate) fn error(id: Option<&RequestId>, error: &ErrorObject, refused: Rejection) -> Self {
        Self {
            message: error_message(id, error),
            refused: Some(refused),
        }
    }
}

/// Writes the response with an error.
pub(crate) fn error_message(id: Option<&RequestId>, error: &ErrorObject) -> Vec<u8> {
    let mut message = Vec::with_capacity(128);
    if rpc::write_error(&mut message, id, error).is_err() {
        // Only data that is not JSON can fail. The error is useful without it.
        let plain = ErrorObject::new(error.code, error.message.clone());
        message.clear();
        let _ = rpc::write_error(&mut message, id, &plain);
    }
    message
}
