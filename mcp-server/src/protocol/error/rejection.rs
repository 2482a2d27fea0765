//! [`Rejection`]: why a request was not served at all.

use std::time::Duration;

use mcp_types::{HEADER_MISMATCH, rpc};

use crate::protocol::error::challenge::Challenge;

/// The time after which a request may be sent again, where nothing says more.
pub(crate) const RETRY_SOON: Duration = Duration::from_secs(1);

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
    /// The caller has used up its share: 429, with the time after which it may try again.
    Busy(Duration),
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
