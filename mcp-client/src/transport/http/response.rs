//! Reads the response to a request.

use std::ops::ControlFlow;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, Response, StatusCode};
use hyper::body::Incoming as Body;
use mcp_types::rpc::{self, Message};
use mcp_types::sse::SseError;
use mcp_wire::http_headers::{essence, is_events, is_json};

use super::endpoint::{Endpoint, excerpt};
use crate::protocol::connection::{Connection, Reply};
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::lenient;
use crate::transport::http::http_client::{Events, read_all};

/// The content type of a response.
#[derive(PartialEq, Eq)]
pub(super) enum Media {
    Json,
    Events,
    Other,
}

pub(super) fn media(headers: &HeaderMap) -> Media {
    let kind = headers
        .get(CONTENT_TYPE)
        .map_or(&[][..], |value| value.as_bytes());
    let kind = essence(kind);
    if is_json(kind) {
        Media::Json
    } else if is_events(kind) {
        Media::Events
    } else {
        Media::Other
    }
}

/// How a stream of events ended.
pub(super) enum StreamEnd {
    Answered,
    /// The stream ended before the response to the request.
    Interrupted(TransportError),
}

/// Hands the messages of an HTTP response to the connection. Returns a stream that ended before the
/// response to the request.
pub(super) async fn read(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    request_id: i64,
    session: u64,
    response: Response<Body>,
) -> Result<Option<InterruptedStream>, TransportError> {
    let status = response.status();
    if !status.is_success() {
        return Err(endpoint.rejection(response).await.into());
    }
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Err(HttpError::NoAnswer.into());
    }
    match media(response.headers()) {
        Media::Json => {
            let text = read_all(response.into_body(), endpoint.limit).await?;
            let received = connection.receive_in(session, &text);
            if connection.pending.is_pending(request_id) {
                // The server could not read the id, but there is only one request.
                if let Ok(Message::Error {
                    id: None, error, ..
                }) = rpc::parse(&text)
                {
                    let error = lenient::error_object(error.get());
                    connection.pending.complete(request_id, Reply::Error(error));
                    return Ok(None);
                }
                if text.is_empty() {
                    return Err(HttpError::NoAnswer.into());
                }
                let error = received.map_or_else(HttpError::Message, |()| HttpError::NoAnswer);
                return Err(error.into());
            }
            Ok(None)
        }
        Media::Events => {
            let mut events = endpoint.events(session, response.into_body());
            match read_events(connection, request_id, &mut events).await? {
                StreamEnd::Answered => Ok(None),
                StreamEnd::Interrupted(error) => Ok(Some(InterruptedStream { events, error })),
            }
        }
        Media::Other => {
            let kind = response
                .headers()
                .get(CONTENT_TYPE)
                .map(|kind| String::from_utf8_lossy(kind.as_bytes()));
            Err(HttpError::ContentType(excerpt(&kind.unwrap_or_default())).into())
        }
    }
}

/// Hands the messages of a stream to the connection until it ends. Messages may follow the response
/// to the request; the call does not wait for them.
pub(super) async fn read_events(
    connection: &Arc<Connection>,
    request_id: i64,
    events: &mut Events,
) -> Result<StreamEnd, TransportError> {
    let session = events.session;
    let ended = events.for_each(|event| match event {
        Ok(event) => {
            // An event without data only sets the id for a resumption.
            if event.event == "message" && !event.data.is_empty() {
                // A malformed message is logged; the answer may follow it.
                let _ = connection.receive_in(session, event.data.as_bytes());
            }
            ControlFlow::Continue(())
        }
        Err(error) => ControlFlow::Break(error),
    });
    let ended = ended.await;
    if !connection.pending.is_pending(request_id) {
        return Ok(StreamEnd::Answered);
    }
    match ended {
        Ok(Some(SseError::TooLong { limit })) => Err(TransportError::TooLong { limit }),
        Ok(Some(error)) => Err(HttpError::Event(error).into()),
        Ok(None) => Ok(StreamEnd::Interrupted(HttpError::NoAnswer.into())),
        Err(error) => Ok(StreamEnd::Interrupted(error)),
    }
}

/// A stream that ended before the response to the request.
pub(super) struct InterruptedStream {
    pub(super) events: Events,
    pub(super) error: TransportError,
}
