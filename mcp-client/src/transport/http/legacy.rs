//! Requests of the revisions that begin with a handshake, in a session.

pub(super) mod http_sse;
pub(super) mod listen;
mod session_check;
pub(super) mod session_recovery;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::{HeaderValue, Response};
use hyper::body::Incoming;
use mcp_types::Request;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::InitializeRequest;
use mcp_wire::http_headers::SESSION_ID;
use tokio::time::sleep;

use super::endpoint::Endpoint;
use super::response::{self, InterruptedStream, Media, StreamEnd, media};
use super::retry::{LONGEST_PAUSE, PAUSE, wait};
use super::session::{Session, SessionPhase};
use crate::protocol::connection::{Connection, OutgoingRequest};
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use session_check::has_ended;

/// The maximum number of attempts to resume a stream without receiving a new event.
const ATTEMPTS: usize = 5;

pub(super) async fn send(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    request: OutgoingRequest<'_>,
) -> Result<(), TransportError> {
    let OutgoingRequest {
        id: request_id,
        method,
        message,
        sent,
        ..
    } = request;
    let body = Bytes::from(message);
    if method == InitializeRequest::METHOD {
        sent.store(true, Ordering::Relaxed);
        return initialize(endpoint, connection, request_id, body).await;
    }
    let sent = || sent.store(true, Ordering::Relaxed);
    let (session, response) = post_in_session(endpoint, connection, body, sent).await?;
    if session.messages.is_some() {
        return endpoint.check_accepted(response).await;
    }
    match response::read(endpoint, connection, request_id, session.number, response).await? {
        None => Ok(()),
        Some(interrupted) => resume(endpoint, connection, request_id, &session, interrupted).await,
    }
}

/// Posts a message in the current session, or in the next one if the server has ended it.
pub(super) async fn post_in_session(
    endpoint: &Endpoint,
    connection: &Connection,
    body: Bytes,
    sent: impl Fn() + Send,
) -> Result<(Session, Response<Incoming>), TransportError> {
    let mut recovered = false;
    loop {
        let mut session = endpoint.session();
        // A new session may already have ended.
        while !session.is_ready() {
            endpoint.recover_session(None).await?;
            session = endpoint.session();
        }
        sent();
        let response = endpoint
            .post(connection.revision(), &session, body.clone())
            .await?;
        let status = response.status();
        if recovered || !has_ended(endpoint, connection, &session, status).await {
            return Ok((session, response));
        }
        if status.is_server_error() {
            // The server may have worked on the message, so it is not sent again.
            endpoint.end_session(session.number);
            return Ok((session, response));
        }
        recovered = true;
        endpoint.recover_session(Some(session.number)).await?;
    }
}

/// Sends the handshake; over HTTP+SSE if the server does not support Streamable HTTP.
async fn initialize(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    request_id: i64,
    body: Bytes,
) -> Result<(), TransportError> {
    if endpoint.remembered().is_some_and(|server| server.is_sse)
        && http_sse::open_stream(endpoint, connection).await.is_ok()
    {
        return http_sse::post_accepted(endpoint, connection, body).await;
    }
    let session = Session::default();
    let response = endpoint
        .post(connection.revision(), &session, body.clone())
        .await?;
    let status = response.status();
    if status.is_success() {
        begin_session(endpoint, &response)?;
        let session = endpoint.session();
        return match response::read(endpoint, connection, request_id, session.number, response)
            .await?
        {
            None => Ok(()),
            Some(interrupted) => {
                resume(endpoint, connection, request_id, &session, interrupted).await
            }
        };
    }
    let rejection = endpoint.rejection(response).await;
    if matches!(status.as_u16(), 400 | 404 | 405) {
        match http_sse::open_stream(endpoint, connection).await {
            Ok(()) => return http_sse::post_accepted(endpoint, connection, body).await,
            Err(error @ TransportError::Http(HttpError::Endpoint(_))) => return Err(error),
            Err(error) => {
                tracing::debug!(error = %PeerDisplay(&error), "the server does not support HTTP+SSE either");
            }
        }
    }
    Err(rejection.into())
}

/// Begins a session after the server has answered the handshake.
fn begin_session(endpoint: &Endpoint, response: &Response<Incoming>) -> Result<(), HttpError> {
    let id = response.headers().get(SESSION_ID).cloned();
    let is_valid = |id: &HeaderValue| {
        let bytes = id.as_bytes();
        !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic)
    };
    if id.as_ref().is_some_and(|id| !is_valid(id)) {
        return Err(HttpError::SessionId);
    }
    endpoint.session.send_modify(|session| {
        session.number += 1;
        session.phase = SessionPhase::Started;
        session.stream_answered = false;
        session.id = id;
        session.messages = None;
    });
    Ok(())
}

/// Resumes a stream that was interrupted before the response to the request, repeatedly if needed.
async fn resume(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    request_id: i64,
    session: &Session,
    interrupted: InterruptedStream,
) -> Result<(), TransportError> {
    let InterruptedStream { events, mut error } = interrupted;
    let mut last = events.decoder().last_event_id().to_owned();
    let mut retry = events.decoder().retry();
    drop(events);
    let mut pause = PAUSE;
    let mut attempts = 0;
    while !last.is_empty() && attempts < ATTEMPTS {
        sleep(wait(retry, pause)).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        attempts += 1;
        let response = match endpoint.get(connection.revision(), session, &last).await {
            Ok(response) => response,
            Err(failed) if failed.is_connection_failure() => {
                error = failed.into();
                continue;
            }
            Err(failed) => return Err(failed.into()),
        };
        if !response.status().is_success() || media(response.headers()) != Media::Events {
            return Err(error);
        }
        let mut events = endpoint.events(session.number, response.into_body());
        match response::read_events(connection, request_id, &mut events).await? {
            StreamEnd::Answered => return Ok(()),
            StreamEnd::Interrupted(cut) => error = cut,
        }
        retry = events.decoder().retry().or(retry);
        let last_id = events.decoder().last_event_id();
        if !last_id.is_empty() && last_id != last {
            last_id.clone_into(&mut last);
            attempts = 0;
            pause = PAUSE;
        }
    }
    Err(error)
}
