//! [`GatewayError`]: why a gateway cannot be built, and the errors that clients receive.

use std::time::Duration;

use mcp_client::{CallError, RefusalKind};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{BuildErrors, HandlerError};

use crate::fault::UpstreamFault;

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

/// Returns the error for a client if an upstream cannot be used.
pub(crate) fn unavailable(upstream: &str, fault: &UpstreamFault) -> HandlerError {
    let text = format!("the server `{upstream}` behind the gateway {fault}");
    match fault {
        UpstreamFault::Busy { after, .. } => {
            let error = ErrorObject::internal_error(text);
            HandlerError::from(error.retry_after(after.unwrap_or(RETRY_SOON)))
        }
        _ => HandlerError::internal(text),
    }
}

/// Returns the error of an upstream itself, unchanged. `None` if it has sent none.
pub(crate) fn failed(error: CallError) -> Option<HandlerError> {
    let is_busy = matches!(error.kind(), Some(RefusalKind::Busy(_)));
    let time = match error.kind() {
        Some(RefusalKind::Busy(time)) => time.unwrap_or(RETRY_SOON),
        _ => RETRY_SOON,
    };
    match error {
        CallError::Refused { source, .. } if is_busy && source.retry_time().is_none() => {
            Some(HandlerError::from(source.retry_after(time)))
        }
        CallError::Refused { source, .. } => Some(HandlerError::from(source)),
        CallError::Client { source } => {
            let refusal = source.downcast::<ErrorObject>().ok();
            refusal.map(|refusal| HandlerError::from(*refusal))
        }
        _ => None,
    }
}

/// Returns the beginning of a text that a peer chose.
pub(crate) fn short(text: &str) -> String {
    text.chars()
        .take(100)
        .flat_map(char::escape_debug)
        .collect()
}
