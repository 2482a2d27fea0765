//! HTTP+SSE of 2024-11-05: a stream for all that the server says, and POSTs for all that it is
//! told.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, Uri};
use hyper::body::Incoming;
use mcp_types::RequestId;
use mcp_types::sse::SseError;
use tokio::sync::mpsc;

use super::answer::{Asked, Media, media};
use super::body::Events;
use super::link::HttpLink;
use super::session::{Session, Stage};
use super::url;
use crate::protocol::connection::Core;
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::pending::Reply;

/// The stream of a session, which has this number.
pub(super) struct OldStream {
    events: Events,
}

impl HttpLink {
    /// Opens the stream, and learns where messages are to be posted.
    pub(super) async fn open_stream(&self, core: &Core) -> Result<(), TransportError> {
        let response = self.get(core, &Session::default(), "").await?;
        if !response.status().is_success() {
            return Err(match self.refusal(response).await {
                Ok(_) => HttpError::NoAnswer.into(),
                Err(error) => error,
            });
        }
        if media(response.headers()) != Media::Events {
            return Err(HttpError::NoAnswer.into());
        }
        // Its number is known when it begins.
        let mut events = self.events(0, response.into_body());
        let first = events.each(|event| {
            ControlFlow::Break(event.map(|event| {
                let endpoint = event.event == "endpoint";
                endpoint.then(|| event.data.to_owned())
            }))
        });
        let place = match first.await? {
            Some(Ok(Some(place))) => place,
            Some(Ok(None)) | None => return Err(HttpError::NoAnswer.into()),
            Some(Err(error)) => return Err(HttpError::Event(error).into()),
        };
        let messages: Option<Uri> = url::resolve(&self.wire.url, &place);
        let Some(messages) = messages else {
            return Err(HttpError::Endpoint(place.chars().take(256).collect()).into());
        };
        let mut number = 0;
        self.session.send_modify(|session| {
            session.number += 1;
            session.stage = Stage::Begun;
            session.id = None;
            session.messages = Some(messages);
            number = session.number;
        });
        events.session = number;
        let stream = OldStream { events };
        self.streams
            .send(stream)
            .await
            .map_err(|_| TransportError::Closed)
    }

    /// Posts a request whose answer comes on the stream.
    pub(super) async fn post_accepted(
        &self,
        core: &Arc<Core>,
        asked: Asked,
        body: Bytes,
    ) -> Result<(), TransportError> {
        let session = self.session();
        let response = self.post(core, &session, body).await?;
        self.accepted(core, asked, response).await
    }

    /// Reads the response to such a request.
    pub(super) async fn accepted(
        &self,
        core: &Core,
        asked: Asked,
        response: Response<Incoming>,
    ) -> Result<(), TransportError> {
        if !response.status().is_success() {
            let error = self.refusal(response).await?;
            core.calls
                .reply(&RequestId::from(asked.id), Reply::Error(error));
        }
        Ok(())
    }
}

/// Reads one stream after the other; a new one takes the place of the one before. With a stream
/// ends all that was asked.
pub(super) async fn read(
    link: &HttpLink,
    core: &Arc<Core>,
    mut streams: mpsc::Receiver<OldStream>,
) {
    let mut next = streams.recv().await;
    while let Some(OldStream { mut events }) = next {
        let number = events.session;
        let ended = events.each(|event| {
            match event {
                Ok(event) if event.event == "message" => {
                    core.receive_in(number, event.data.as_bytes())
                }
                Ok(_) => {}
                // Whose answer it was cannot be told.
                Err(SseError::TooLong { limit }) => {
                    core.calls.fail(TransportError::TooLong { limit });
                }
                Err(error) => core.calls.fail(HttpError::Event(error).into()),
            }
            ControlFlow::<()>::Continue(())
        });
        next = tokio::select! {
            newer = streams.recv() => newer,
            ended = ended => {
                let error = ended.err().unwrap_or(TransportError::Closed);
                link.gone(number);
                core.calls.fail(error);
                streams.recv().await
            }
        };
    }
}
