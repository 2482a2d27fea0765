//! HTTP+SSE of 2024-11-05: the server sends all messages on one stream, and receives POSTs.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use http::Uri;
use mcp_types::sse::SseError;
use tokio::sync::mpsc;

use crate::protocol::connection::Connection;
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::transport::http::endpoint::{Endpoint, excerpt};
use crate::transport::http::http_client::Events;
use crate::transport::http::http_client::url;
use crate::transport::http::response::{Media, media};
use crate::transport::http::session::{Session, SessionPhase};
use mcp_fetch::url::shown;

/// Opens the stream, whose first event names the URL for messages.
pub(in crate::transport::http) async fn open_stream(
    endpoint: &Endpoint,
    connection: &Connection,
) -> Result<(), TransportError> {
    let response = endpoint
        .get(connection.revision(), &Session::default(), "")
        .await?;
    if !response.status().is_success() {
        return Err(endpoint.rejection(response).await.into());
    }
    if media(response.headers()) != Media::Events {
        return Err(HttpError::NoAnswer.into());
    }
    // The number of the session is set below.
    let mut events = endpoint.events(0, response.into_body());
    let first = events.for_each(|event| {
        ControlFlow::Break(event.map(|event| {
            let endpoint = event.event == "endpoint";
            endpoint.then(|| event.data.to_owned())
        }))
    });
    let reference = match first.await? {
        Some(Ok(Some(reference))) => reference,
        Some(Ok(None)) | None => return Err(HttpError::NoAnswer.into()),
        Some(Err(error)) => return Err(HttpError::Event(error).into()),
    };
    let messages: Option<Uri> = url::resolve(&endpoint.client.url, &reference);
    let Some(messages) = messages else {
        return Err(HttpError::Endpoint(excerpt(&shown(&reference))).into());
    };
    let mut number = 0;
    endpoint.session.send_modify(|session| {
        session.number += 1;
        session.phase = SessionPhase::Started;
        session.id = None;
        session.messages = Some(messages);
        number = session.number;
    });
    events.session = number;
    endpoint
        .streams
        .send(events)
        .await
        .map_err(|_| TransportError::Closed)
}

/// Posts a request whose answer arrives on the stream.
pub(in crate::transport::http) async fn post_accepted(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    body: Bytes,
) -> Result<(), TransportError> {
    let session = endpoint.session();
    let response = endpoint.post(connection.revision(), &session, body).await?;
    endpoint.check_accepted(response).await
}

/// Reads one stream after the other; a new one replaces the previous one. All pending requests fail
/// when a stream ends.
pub(in crate::transport::http) async fn read(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    mut streams: mpsc::Receiver<Events>,
) {
    let mut next = streams.recv().await;
    while let Some(mut events) = next {
        let number = events.session;
        let ended = events.for_each(|event| {
            match event {
                Ok(event) if event.event == "message" => {
                    // Malformed messages are logged.
                    let _ = connection.receive_in(number, event.data.as_bytes());
                }
                Ok(_) => {}
                // It may have been the response to any request.
                Err(SseError::TooLong { limit }) => {
                    connection
                        .pending
                        .fail_all(TransportError::TooLong { limit });
                }
                Err(error) => connection
                    .pending
                    .fail_all(TransportError::from(HttpError::Event(error))),
            }
            ControlFlow::<()>::Continue(())
        });
        next = tokio::select! {
            newer = streams.recv() => newer,
            ended = ended => {
                let error = ended.err().unwrap_or(TransportError::Closed);
                endpoint.end_session(number);
                connection.pending.fail_all(error);
                streams.recv().await
            }
        };
    }
}
