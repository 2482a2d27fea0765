//! [`Rejection`]: why a request was not served at all.

use mcp_types::{HEADER_MISMATCH, rpc};

use crate::protocol::error::challenge::Challenge;

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
