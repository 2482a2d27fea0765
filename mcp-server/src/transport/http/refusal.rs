//! [`Refusal`]: why the endpoint rejects an HTTP request, independent of what a handler would do.

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use http::header::WWW_AUTHENTICATE;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use mcp_types::Revision;
use mcp_types::peer_text::PeerText;

use crate::protocol::dispatch::lifecycle::unsupported;
use crate::protocol::error::rejection::Challenge;
use crate::protocol::metrics::refusals::RefusalCause;
use crate::protocol::quota::Exhausted;
use crate::protocol::store::{CANNOT_BE_REACHED, StoreError};

/// Why the endpoint rejects an HTTP request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("HTTP method `{found}` is not supported: expected one of {allowed}")]
    Method {
        found: Method,
        /// The value of the response header `Allow`.
        allowed: &'static str,
    },
    #[error("header `Host` is missing")]
    MissingHost,
    #[error("header `Host` is present more than once: expected one value")]
    RepeatedHost,
    #[error("`Host` is `{}`: expected {expected}", PeerText(.found))]
    Host {
        found: String,
        expected: &'static str,
    },
    #[error(
        "`Origin` is `{}`: expected an origin that the server allows",
        PeerText(.0)
    )]
    Origin(String),
    #[error("`Accept` is {}: expected {expected}", quoted(.found.as_deref()))]
    Accept {
        found: Option<String>,
        expected: &'static str,
    },
    #[error("`Content-Type` is {}: expected application/json", quoted(.0.as_deref()))]
    ContentType(Option<String>),
    #[error(
        "`Content-Encoding` is {}: expected no encoding",
        quoted(.0.as_deref())
    )]
    ContentEncoding(Option<String>),
    #[error("there is no such document")]
    NoMetadata,
    /// A mistake of the program.
    #[cfg(feature = "axum")]
    #[error(
        "the router of `into_router` is nested below `{below}`, where clients do not find {fixed}: \
         instead of nesting it, merge `into_router(\"{path}\", ..)`"
    )]
    Nested {
        /// What clients would not find.
        fixed: &'static str,
        below: String,
        /// The path of the endpoint that clients use.
        path: String,
    },
    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("the body has {found} bytes or more: expected at most {limit}")]
    BodyTooLarge { found: u64, limit: u64 },
    #[error("the body is incomplete after {} s: {received} bytes have arrived", .limit.as_secs_f64())]
    BodyTimeout { limit: Duration, received: usize },
    #[error("the body arrives too slowly: expected at least {0} bytes per second")]
    BodyTooSlow(usize),
    #[error("the body cannot be read: the connection failed, or the framing is malformed")]
    BodyUnreadable,
    #[error("too many large requests are in flight: retry later")]
    BodyMemory,
    #[error("this client has too many requests in flight: retry later")]
    PeerRequests,
    #[error(
        "this client does not read its responses: read those that wait before sending requests"
    )]
    PeerUnread,
    #[error("the server has too many requests in flight: retry later")]
    Requests,
    #[error("this client sends too much to other processes of the server: retry later")]
    PeerMessages,
    #[error("the body is a response, but the server sent no request")]
    UnexpectedResponse,
    #[error("the body is a malformed response")]
    MalformedResponse,
    /// `MCP-Protocol-Version` contains something that is not a supported revision.
    #[error("{}", unsupported(.0, Revision::ALL).message)]
    ProtocolVersion(String),
    #[error("header `Mcp-Session-Id` is missing: expected the id of a session")]
    MissingSession,
    #[error("the session in `Mcp-Session-Id` is unknown or has ended: send `initialize` again")]
    UnknownSession,
    #[error("the session was initialized already: send no second `initialize`")]
    SecondInitialize,
    #[error("`Last-Event-ID` is `{}`: expected an id that this server sent", PeerText(.0))]
    LastEventId(String),
    #[error("the server has too many sessions: retry later")]
    Sessions,
    #[error("this client has too many sessions: close one or retry later")]
    PeerSessions,
    #[error("sessions use too much memory: this session is closed")]
    SessionMemory,
    #[error("the channel in `sessionId` is unknown, or its event stream has ended")]
    UnknownChannel,
    #[error("the client does not read the event stream of this channel")]
    UnreadChannel,
    #[error("the system returned no random numbers")]
    NoRandomNumbers,
    /// A store failed. Its error is logged, but not shown to the client.
    #[error("{CANNOT_BE_REACHED}")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Auth(#[from] AuthRefusal),
}

impl Refusal {
    /// Returns the cause under which the refusal is counted. `None` if no metric counts it.
    pub(crate) fn cause(&self) -> Option<RefusalCause> {
        self.status_and_cause().1
    }

    /// Returns the status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        self.status_and_cause().0
    }

    fn status_and_cause(&self) -> (StatusCode, Option<RefusalCause>) {
        use RefusalCause as Cause;

        let (status, cause) = match self {
            Self::MissingHost | Self::RepeatedHost | Self::Host { .. } => {
                (StatusCode::FORBIDDEN, Cause::Host)
            }
            Self::Origin(_) => (StatusCode::FORBIDDEN, Cause::Origin),
            Self::Method { .. } => (StatusCode::METHOD_NOT_ALLOWED, Cause::Method),
            Self::Accept { .. } => (StatusCode::NOT_ACCEPTABLE, Cause::MediaType),
            Self::ContentType(_) | Self::ContentEncoding(_) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, Cause::MediaType)
            }
            Self::ShuttingDown => (StatusCode::SERVICE_UNAVAILABLE, Cause::ShuttingDown),
            Self::BodyTooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, Cause::BodyTooLarge),
            Self::BodyTimeout { .. } | Self::BodyTooSlow(_) => {
                (StatusCode::REQUEST_TIMEOUT, Cause::BodyTimeout)
            }
            Self::BodyUnreadable
            | Self::UnexpectedResponse
            | Self::MalformedResponse
            | Self::ProtocolVersion(_)
            | Self::MissingSession
            | Self::SecondInitialize
            | Self::LastEventId(_) => (StatusCode::BAD_REQUEST, Cause::Malformed),
            Self::NoMetadata => (StatusCode::NOT_FOUND, Cause::Malformed),
            Self::PeerRequests | Self::PeerUnread | Self::PeerMessages | Self::PeerSessions => {
                (StatusCode::TOO_MANY_REQUESTS, Cause::PeerQuota)
            }
            Self::UnreadChannel => (StatusCode::SERVICE_UNAVAILABLE, Cause::PeerQuota),
            Self::Requests => (StatusCode::SERVICE_UNAVAILABLE, Cause::Requests),
            Self::UnknownSession | Self::UnknownChannel => {
                (StatusCode::NOT_FOUND, Cause::UnknownSession)
            }
            Self::Sessions => (StatusCode::SERVICE_UNAVAILABLE, Cause::Sessions),
            Self::Store(_) => (StatusCode::SERVICE_UNAVAILABLE, Cause::Store),
            Self::NoRandomNumbers => (StatusCode::SERVICE_UNAVAILABLE, Cause::Internal),
            #[cfg(feature = "axum")]
            Self::Nested { .. } => (StatusCode::INTERNAL_SERVER_ERROR, Cause::Internal),
            Self::BodyMemory | Self::SessionMemory => {
                return (StatusCode::SERVICE_UNAVAILABLE, None);
            }
            Self::Auth(refusal) => (refusal.status(), Cause::Unauthorized),
        };
        (status, Some(cause))
    }
}

/// Describes the value of a header.
fn quoted(value: Option<&str>) -> String {
    match value {
        Some(value) => format!("`{}`", PeerText(value)),
        None => "missing".to_owned(),
    }
}

impl From<Exhausted> for Refusal {
    fn from(exhausted: Exhausted) -> Self {
        match exhausted {
            Exhausted::Share => Self::PeerRequests,
            Exhausted::Unread => Self::PeerUnread,
            Exhausted::Total => Self::Requests,
        }
    }
}

/// Returns all values of a header as one list, for an error. `None` if the header is missing.
pub(crate) fn header_value(parts: &Parts, header: HeaderName) -> Option<String> {
    let values = parts.headers.get_all(header).into_iter();
    let values: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Why an [`Authenticate`](crate::Authenticate) refuses a request, and what the client can do about
/// it. It is the response: its status, its headers, and a JSON-RPC error with the reason.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.reason)]
pub struct AuthRefusal(Box<RefusedRequest>);

#[derive(Debug)]
struct RefusedRequest {
    status: StatusCode,
    reason: Cow<'static, str>,
    headers: HeaderMap,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl AuthRefusal {
    /// Creates the refusal with a status. The client reads the reason, so it must not contain secrets
    /// or parts of the credentials. With 429 and 503, the response says to retry after a second.
    pub fn new(status: StatusCode, reason: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(RefusedRequest {
            status,
            reason: reason.into(),
            headers: HeaderMap::new(),
            cause: None,
        }))
    }

    /// Creates the refusal of a request whose credentials are missing or not valid: 401. It needs at
    /// least one [challenge](Self::challenge).
    pub fn unauthorized(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, reason)
    }

    /// Adds a header `WWW-Authenticate`, which says what credentials the client needs.
    #[must_use]
    pub fn challenge(self, challenge: &Challenge) -> Self {
        match HeaderValue::try_from(challenge.to_string()) {
            Ok(value) => self.header(WWW_AUTHENTICATE, value),
            // A challenge has only characters that the header can represent.
            Err(_) => self,
        }
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        self.0.headers.append(name, value);
        self
    }

    /// Adds the headers that the response to an accepted request would have.
    pub(crate) fn all_headers(self, headers: &HeaderMap) -> Self {
        headers.iter().fold(self, |refusal, (name, value)| {
            refusal.header(name.clone(), value.clone())
        })
    }

    /// Sets an error for the log, at the level `ERROR`. The client does not read it.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Returns the status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the headers that were added to the response.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Returns the error for the log.
    pub(crate) fn logged(&self) -> Option<&(dyn Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

/// The store of the server cannot be reached: 503.
impl From<StoreError> for AuthRefusal {
    fn from(error: StoreError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, CANNOT_BE_REACHED).cause(error)
    }
}
