//! Reading the answer to a request.

use std::ops::ControlFlow;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, Response, StatusCode};
use hyper::body::Incoming as Body;
use mcp_types::json;
use mcp_types::rpc::{self, ErrorObject, Incoming, Message};
use mcp_types::sse::SseError;
use mcp_types::{ListToolsRequest, Request, RequestId, Revision};

use super::body::{Events, whole};
use super::link::HttpLink;
use crate::protocol::connection::Core;
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::pending::Reply;

/// As many characters of a text that is no message are shown.
const SHOWN: usize = 256;

/// A request that waits for its answer.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) id: i64,
    pub(super) method: &'static str,
}

/// What a response holds.
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
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default();
    let kind = kind.trim_ascii();
    if kind.eq_ignore_ascii_case(b"application/json") {
        Media::Json
    } else if kind.eq_ignore_ascii_case(b"text/event-stream") {
        Media::Events
    } else {
        Media::Other
    }
}

/// How the stream of an answer ended.
pub(super) enum Ended {
    Answered,
    /// It broke off, or ended, without the answer.
    Cut(TransportError),
}

impl HttpLink {
    /// Hands over the answer that a response holds, and what comes before it. A stream that breaks
    /// off is given back.
    pub(super) async fn answer(
        &self,
        core: &Arc<Core>,
        asked: Asked,
        session: u64,
        response: Response<Body>,
    ) -> Result<Option<Broken>, TransportError> {
        let status = response.status();
        if !status.is_success() {
            let error = self.refusal(response).await?;
            core.calls
                .reply(&RequestId::from(asked.id), Reply::Error(error));
            return Ok(None);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Err(HttpError::NoAnswer.into());
        }
        match media(response.headers()) {
            Media::Json => {
                let text = whole(response.into_body(), self.limit).await?;
                self.deliver(core, asked.method, session, &text);
                if core.calls.waits(asked.id) {
                    let error = match core.parse(&text) {
                        Ok(Incoming::Single(_)) => None,
                        Ok(Incoming::Batch(all)) => all.into_iter().find_map(Result::err),
                        Err(error) => Some(error),
                    };
                    let error = error.map_or(HttpError::NoAnswer, HttpError::Message);
                    return Err(error.into());
                }
                Ok(None)
            }
            Media::Events => {
                let mut events = self.events(session, response.into_body());
                match self.hear(core, asked, &mut events).await? {
                    Ended::Answered => Ok(None),
                    Ended::Cut(error) => Ok(Some(Broken { events, error })),
                }
            }
            Media::Other => {
                let kind = response.headers().get(CONTENT_TYPE);
                let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()));
                Err(HttpError::ContentType(excerpt(&kind.unwrap_or_default())).into())
            }
        }
    }

    /// Hands over what comes on a stream until it ends. The answer need not be the end: the call
    /// stops to wait for it by itself.
    pub(super) async fn hear(
        &self,
        core: &Arc<Core>,
        asked: Asked,
        events: &mut Events,
    ) -> Result<Ended, TransportError> {
        let session = events.session;
        let ended = events.each(|event| match event {
            Ok(event) => {
                // An event without data is there for its id.
                if event.event == "message" && !event.data.is_empty() {
                    self.deliver(core, asked.method, session, event.data.as_bytes());
                }
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        });
        let ended = ended.await;
        if !core.calls.waits(asked.id) {
            return Ok(Ended::Answered);
        }
        match ended {
            Ok(Some(SseError::TooLong { limit })) => Err(TransportError::TooLong { limit }),
            Ok(Some(error)) => Err(HttpError::Event(error).into()),
            Ok(None) => Ok(Ended::Cut(HttpError::NoAnswer.into())),
            Err(error) => Ok(Ended::Cut(error)),
        }
    }

    pub(super) fn events(&self, session: u64, body: Body) -> Events {
        Events::new(session, body, self.limit, Arc::clone(&self.outbox))
    }

    fn deliver(&self, core: &Arc<Core>, method: &str, session: u64, text: &[u8]) {
        if method == ListToolsRequest::METHOD && core.revision() == Revision::LATEST {
            core.receive(&self.params.learn(text));
        } else {
            core.receive_in(session, text);
        }
    }

    /// What a response says that refuses a request.
    ///
    /// # Errors
    ///
    /// The status, where that is all.
    pub(super) async fn refusal(
        &self,
        response: Response<Body>,
    ) -> Result<ErrorObject, TransportError> {
        let status = response.status();
        let text = whole(response.into_body(), self.limit)
            .await
            .unwrap_or_default();
        if let Ok(Message::Error { error, .. }) = rpc::parse(&text)
            && let Ok(error) = json::from_str(error.get())
        {
            return Ok(error);
        }
        let body = excerpt(&String::from_utf8_lossy(&text));
        Err(HttpError::Status { status, body }.into())
    }
}

/// A stream that broke off before the answer.
pub(super) struct Broken {
    pub(super) events: Events,
    pub(super) error: TransportError,
}

fn excerpt(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
