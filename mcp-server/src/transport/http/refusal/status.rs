//! HTTP status codes of all responses of the endpoint.

use http::StatusCode;

use crate::protocol::error::rejection::Rejection;
use crate::transport::http::refusal::Refusal;

/// Returns the status of a response message for a client that has no session.
pub(crate) fn of_answer(rejection: Option<&Rejection>) -> StatusCode {
    match rejection {
        None => StatusCode::OK,
        Some(Rejection::Malformed | Rejection::Mismatch) => StatusCode::BAD_REQUEST,
        Some(Rejection::NoMethod) => StatusCode::NOT_FOUND,
        Some(Rejection::Forbidden(_)) => StatusCode::FORBIDDEN,
        Some(Rejection::Busy(_)) => StatusCode::TOO_MANY_REQUESTS,
    }
}

/// Returns the status of a response message in a session. In those revisions 404 means that the
/// session has ended, so errors are sent with 200, except those about HTTP headers, about what the
/// client is allowed to do, and about when it may try again.
pub(crate) fn of_session_answer(rejection: Option<&Rejection>) -> StatusCode {
    match rejection {
        Some(Rejection::Mismatch) => StatusCode::BAD_REQUEST,
        Some(Rejection::Forbidden(_)) => StatusCode::FORBIDDEN,
        Some(Rejection::Busy(_)) => StatusCode::TOO_MANY_REQUESTS,
        Some(Rejection::Malformed | Rejection::NoMethod) | None => StatusCode::OK,
    }
}

/// Returns the status of a refusal.
pub(crate) fn of_refusal(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::BodyUnreadable
        | Refusal::UnexpectedResponse
        | Refusal::MalformedResponse
        | Refusal::ProtocolVersion(_)
        | Refusal::MissingSession
        | Refusal::SecondInitialize
        | Refusal::LastEventId(_) => StatusCode::BAD_REQUEST,
        Refusal::MissingHost
        | Refusal::RepeatedHost
        | Refusal::Host { .. }
        | Refusal::Origin(_) => StatusCode::FORBIDDEN,
        Refusal::UnknownSession | Refusal::UnknownChannel | Refusal::NoMetadata => {
            StatusCode::NOT_FOUND
        }
        Refusal::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
        Refusal::Accept { .. } => StatusCode::NOT_ACCEPTABLE,
        Refusal::BodyTimeout { .. } | Refusal::BodyTooSlow(_) => StatusCode::REQUEST_TIMEOUT,
        Refusal::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Refusal::ContentType(_) | Refusal::ContentEncoding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Refusal::PeerRequests
        | Refusal::PeerUnread
        | Refusal::PeerMessages
        | Refusal::PeerSessions => StatusCode::TOO_MANY_REQUESTS,
        Refusal::ShuttingDown
        | Refusal::BodyMemory
        | Refusal::Requests
        | Refusal::Sessions
        | Refusal::SessionMemory
        | Refusal::UnreadChannel
        | Refusal::Store(_)
        | Refusal::NoRandomNumbers => StatusCode::SERVICE_UNAVAILABLE,
        #[cfg(feature = "axum")]
        Refusal::Nested { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        Refusal::Auth(refusal) => refusal.status(),
    }
}
