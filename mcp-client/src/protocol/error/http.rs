//! [`HttpError`]: errors of the HTTP transport.

use http::{HeaderMap, StatusCode};
use mcp_types::headers::HeaderMismatch;
use mcp_types::rpc::EnvelopeError;
use mcp_types::sse::SseError;

/// The error of an implementation of [`Authorize`](crate::Authorize).
pub type AuthorizeError = Box<dyn std::error::Error + Send + Sync>;

/// Why an exchange over HTTP failed. Other exchanges go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The URL of the server is invalid, or its scheme is not supported.
    #[error("`{url}` is no URL of a server: {reason}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A header of the program has an invalid name or value.
    #[error("`{name}` is no header, or its value is none")]
    Header {
        /// Its name.
        name: String,
    },
    /// A certificate that is to be trusted cannot be read.
    #[error("a certificate to be trusted cannot be read: {0}")]
    Certificate(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There is no connection, or it failed.
    #[error("the exchange over HTTP failed: {}", deepest(.0.as_ref()))]
    Exchange(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server answered with an error status, and the body is no message of the protocol.
    #[error("the server answered with HTTP status {status}: {body:?}")]
    Status {
        /// The status.
        status: StatusCode,
        /// The beginning of the body, at most 256 characters.
        body: String,
    },
    /// The server asks for an authorization that it did not get.
    #[error("the server asks for authorization (HTTP status {status})")]
    Unauthorized {
        /// 401 or 403.
        status: StatusCode,
        /// What it asks for, in `WWW-Authenticate`, among the others.
        headers: Box<HeaderMap>,
    },
    /// The hook for authorization failed.
    #[error("there is no authorization: {0}")]
    Authorize(#[source] AuthorizeError),
    /// The server sent the client to another place, where it does not follow: another origin, or
    /// the method would be lost, or there is no end of it.
    #[error("the server redirects to `{location}` (HTTP status {status}), which is not followed")]
    Redirect {
        /// The status.
        status: StatusCode,
        /// Where to, at most 200 characters.
        location: String,
    },
    /// The answer is neither JSON nor a stream of events.
    #[error("the server answered with content of the type `{0}`")]
    ContentType(String),
    /// The response is no message of the protocol.
    #[error("the server's answer is no message: {0}")]
    Message(#[source] EnvelopeError),
    /// An event of the answer cannot be read.
    #[error("the server's answer cannot be read: {0}")]
    Event(#[source] SseError),
    /// The response ended without the answer to the request.
    #[error("the server's response ended without the answer")]
    NoAnswer,
    /// An argument that a header repeats has a type that headers cannot represent.
    #[error("an argument cannot be said in a header: {0}")]
    Param(#[source] HeaderMismatch),
    /// A server of 2024-11-05 names a URL for messages that is of another origin.
    #[error("the server wants messages to be posted at `{0}`, which is not its own")]
    Endpoint(String),
    /// The id of the session is empty, or contains other characters than visible ASCII.
    #[error("the id that the server gave to the session is none")]
    SessionId,
}

impl HttpError {
    /// The connection failed.
    pub(crate) fn exchange(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Exchange(error.into())
    }

    /// Returns `true` if a server that does not know the newest revision may have answered like this
    /// to one of its requests.
    pub(crate) fn may_be_legacy(&self) -> bool {
        matches!(self, Self::Status { status, .. } if status.is_client_error()
            && !matches!(status.as_u16(), 401 | 403 | 407 | 408 | 429))
    }
}

/// Returns the innermost source: the errors above it have the same text for every failure.
fn deepest<'a>(mut error: &'a (dyn std::error::Error + 'static)) -> &'a dyn std::error::Error {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
