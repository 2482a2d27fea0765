//! [`HttpError`]: errors of the HTTP transport.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use mcp_types::headers::HeaderMismatch;
use mcp_types::rpc::{EnvelopeError, ErrorObject};
use mcp_types::sse::SseError;

/// The error of an implementation of [`Authorize`](crate::Authorize).
pub type AuthorizeError = Box<dyn std::error::Error + Send + Sync>;

/// Why an HTTP request failed. Other requests are not affected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The URL of the server is invalid, or its scheme is not supported.
    #[error("{reason} in URL `{url}`")]
    Url {
        /// The URL, without user name, password and query.
        url: String,
        /// What is wrong, and what was expected.
        reason: &'static str,
    },
    /// A header has an invalid name or value. The value is not shown, because it may be a secret.
    #[error("invalid name or value of the header `{name}`")]
    Header {
        /// The name.
        name: String,
    },
    /// A certificate to trust cannot be read.
    #[cfg(feature = "tls")]
    #[error("cannot read a trusted certificate: {0}")]
    Certificate(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The proxy cannot be used. Its URL is not shown, because it may contain a password.
    #[cfg(feature = "tls")]
    #[error("invalid proxy: {0}")]
    Proxy(#[source] mcp_fetch::ProxyError),
    /// The connection to the server cannot be established.
    #[error("cannot connect to `{origin}`: {}{}", deepest(.source.as_ref()), hint(.source.as_ref()))]
    Connect {
        /// The scheme, the host and the port of the server.
        origin: String,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The connection failed while the request was sent or the response was received.
    #[error("the connection to the server failed: {}{}", deepest(.0.as_ref()), hint(.0.as_ref()))]
    Exchange(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server answered with an error status.
    #[error("the server answered with HTTP status {status}{}", and_body(body))]
    Status {
        /// The status.
        status: StatusCode,
        /// The beginning of the body, at most 256 characters.
        body: String,
        /// The time of the header `Retry-After`, if it is a number of seconds.
        retry_after: Option<Duration>,
        /// The error of the protocol in the body. A call then fails with
        /// [`CallError::Refused`](crate::CallError).
        error: Option<Box<ErrorObject>>,
    },
    /// The server requires an authorization that the request did not contain.
    #[error("the server requires authorization (HTTP status {status})")]
    Unauthorized {
        /// 401 or 403.
        status: StatusCode,
        /// The headers of the response. `WWW-Authenticate` describes the required authorization.
        headers: Box<HeaderMap>,
        /// The error of the protocol in the body. A call then fails with
        /// [`CallError::Refused`](crate::CallError).
        error: Option<Box<ErrorObject>>,
    },
    /// The implementation of [`Authorize`](crate::Authorize) failed, or its token is invalid.
    #[error("the request could not be authorized: {0}")]
    Authorize(#[source] AuthorizeError),
    /// The server redirects the client, which does not follow: to another origin, with a status
    /// that changes the method, or too many times.
    #[error("the server redirects to `{location}` (HTTP status {status}), which is not followed")]
    Redirect {
        /// The status.
        status: StatusCode,
        /// The header `Location` without its query, at most 200 characters of it.
        location: String,
    },
    /// The response is neither JSON nor an event stream. Contains its content type.
    #[error("{}", content_type(.0))]
    ContentType(String),
    /// The body of the response is not a message of the protocol.
    #[error("the response is not a valid message: {0}")]
    Message(#[source] EnvelopeError),
    /// An event of the response cannot be read.
    #[error("invalid event in the response: {0}")]
    Event(#[source] SseError),
    /// The HTTP response ended without the response to the request.
    #[error("the HTTP response ended without the response to the request")]
    NoAnswer,
    /// An argument that a header repeats has a type that headers cannot represent.
    #[error("an argument cannot be sent in a header: {0}")]
    Param(#[source] HeaderMismatch),
    /// A server of 2024-11-05 named a URL for messages that is invalid or of another origin.
    /// Contains the beginning of it, without its query.
    #[error(
        "the server named `{0}` as the URL for messages, which is invalid or of another origin"
    )]
    Endpoint(String),
    /// The session id is empty, or contains characters that are not visible ASCII.
    #[error("the server sent an invalid session id, expected visible ASCII characters")]
    SessionId,
}

impl HttpError {
    /// Creates the error for a failed connection.
    pub(crate) fn exchange(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Exchange(error.into())
    }

    /// Returns the error of the protocol in the response.
    pub(crate) fn refusal(&self) -> Option<&ErrorObject> {
        match self {
            Self::Status { error, .. } | Self::Unauthorized { error, .. } => error.as_deref(),
            _ => None,
        }
    }

    /// Returns `true` if another attempt may succeed.
    pub(crate) fn is_connection_failure(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::Exchange(_))
    }

    /// Returns `true` if a server of an older era may have answered like this to a modern request.
    pub(crate) fn may_be_legacy(&self) -> bool {
        match self {
            Self::Status { status, error, .. } => {
                let is_final = matches!(status.as_u16(), 401 | 403 | 407 | 408 | 429 | 503);
                !is_final && (status.is_client_error() || error.is_some())
            }
            // The response is no result of the request.
            Self::ContentType(_) | Self::Message(_) | Self::Event(_) | Self::NoAnswer => true,
            _ => false,
        }
    }
}

fn and_body(body: &str) -> String {
    if body.is_empty() {
        " and an empty body".to_owned()
    } else {
        format!(" and the body {body:?}")
    }
}

fn content_type(kind: &str) -> String {
    let expected = "expected `application/json` or `text/event-stream`";
    if kind.is_empty() {
        format!("the response has no content type, {expected}")
    } else {
        format!("the response has the content type `{kind}`, {expected}")
    }
}

/// Explains the errors of a client that uses TLS with a server that does not, and the reverse.
fn hint(error: &(dyn std::error::Error + 'static)) -> &'static str {
    let text = deepest(error).to_string();
    if text.contains("InvalidContentType") {
        " (the server does not use TLS on this port, its URL may begin with `http`)"
    } else if text.contains("invalid HTTP version") {
        " (the server does not use HTTP on this port, its URL may begin with `https`)"
    } else {
        ""
    }
}

/// Returns the innermost source: the errors above it have the same text for every failure.
fn deepest<'a>(mut error: &'a (dyn std::error::Error + 'static)) -> &'a dyn std::error::Error {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
