//! [`GatewayError`]: why a gateway cannot be built, and the errors that clients receive.

use std::time::Duration;

use mcp_client::{CallError, RefusalKind};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{BuildErrors, HandlerError};

/// Why a gateway cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// A prefix contains other characters than lower-case letters, digits and `-`, does not begin
    /// with a letter, or is longer than 24 characters.
    #[error(
        "the prefix `{prefix}` of the upstream `{upstream}` is invalid: expected a lower-case \
         letter and then lower-case letters, digits and `-`, at most 24 characters"
    )]
    Prefix {
        /// The name of the upstream.
        upstream: String,
        /// The prefix.
        prefix: String,
    },
    /// Two upstreams have the same prefix, or none.
    #[error("the upstreams `{first}` and `{second}` have the same prefix `{prefix}`")]
    SamePrefix {
        /// The name of the first upstream.
        first: String,
        /// The name of the second upstream.
        second: String,
        /// The prefix of both.
        prefix: String,
    },
    /// There is no upstream.
    #[error("a gateway needs at least one upstream")]
    NoUpstream,
    /// The definition of the server is invalid.
    #[error(transparent)]
    Server(#[from] BuildErrors),
}

/// The time after which a client may try again if nothing is known of when there will be room.
pub(crate) const RETRY_SOON: Duration = Duration::from_secs(1);

/// Returns the error for a client if a call of an upstream failed. The error of the upstream itself
/// is passed on unchanged.
pub(crate) fn failed(upstream: &str, error: CallError) -> HandlerError {
    if let Some(RefusalKind::Busy(time)) = error.kind() {
        let time = time.unwrap_or(RETRY_SOON);
        return match error {
            CallError::Refused { source, .. } if source.retry_time().is_none() => {
                HandlerError::from(source.retry_after(time))
            }
            CallError::Refused { source, .. } => HandlerError::from(source),
            _ => HandlerError::busy(time),
        };
    }
    let text = match error {
        CallError::Refused { source, .. } => return HandlerError::from(source),
        CallError::Client { source } => match source.downcast::<ErrorObject>() {
            Ok(refusal) => return HandlerError::from(*refusal),
            Err(source) => return unexpected(upstream, "failed", &*source),
        },
        CallError::Timeout { .. } => "did not answer in time",
        CallError::Lost { .. } => "ended the connection",
        CallError::Message { .. } | CallError::Answer { .. } => "sent an invalid answer",
        _ => "failed",
    };
    unexpected(upstream, text, &error)
}

/// Returns the error for a client if a call of an upstream takes too long.
pub(crate) fn too_slow(upstream: &str) -> HandlerError {
    let text = format!("the server `{upstream}` behind the gateway did not answer in time");
    HandlerError::internal(text)
}

fn unexpected(upstream: &str, what: &str, error: &dyn std::error::Error) -> HandlerError {
    let text = format!("the server `{upstream}` behind the gateway {what}");
    HandlerError::internal(text).logged_as(format!("upstream `{upstream}` {what}: {error}"))
}

/// Returns the beginning of a text that a peer chose.
pub(crate) fn short(text: &str) -> String {
    text.chars()
        .take(100)
        .flat_map(char::escape_debug)
        .collect()
}
