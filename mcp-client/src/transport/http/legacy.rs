//! Requests of the revisions that begin with a handshake, in a session.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode};
use hyper::body::Incoming;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::InitializeRequest;
use mcp_types::{Request, RequestId};
use tokio::time::sleep;

use super::answer::{Asked, Broken, Ended, Media, media};
use super::eras::Begin;
use super::link::HttpLink;
use super::session::{SESSION_ID, Session, Stage};
use crate::protocol::connection::Core;
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::link::Outgoing;
use crate::protocol::pending::Reply;

/// How long to wait before a stream is resumed, at least and at most, whatever the server asks for.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);
/// The same where the server does not ask for a time: at first, and at most.
pub(super) const PAUSE: Duration = Duration::from_millis(250);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The time to wait: what the server asks for, within bounds, or else `pause`.
pub(super) fn wait(retry: Option<Duration>, pause: Duration) -> Duration {
    let wait = retry.unwrap_or(pause);
    wait.clamp(SHORTEST_PAUSE, LONGEST_RETRY)
}

/// How often a stream is taken up again in vain.
const ATTEMPTS: usize = 5;

impl HttpLink {
    pub(super) async fn legacy(
        &self,
        core: &Arc<Core>,
        request: Outgoing<'_>,
    ) -> Result<(), TransportError> {
        let Outgoing {
            id,
            method,
            message,
            sent,
            ..
        } = request;
        let asked = Asked { id, method };
        let body = Bytes::from(message);
        if method == InitializeRequest::METHOD {
            sent.store(true, Ordering::Relaxed);
            return self.begin(core, asked, body).await;
        }
        let sent = || sent.store(true, Ordering::Relaxed);
        let (session, response) = self.post_in_session(core, body, sent).await?;
        if session.messages.is_some() {
            return self.accepted(core, asked, response).await;
        }
        match self.answer(core, asked, session.number, response).await? {
            None => Ok(()),
            Some(broken) => self.take_up(core, asked, &session, broken).await,
        }
    }

    /// Posts a message in the session, or in the next one if that is gone.
    pub(super) async fn post_in_session(
        &self,
        core: &Arc<Core>,
        body: Bytes,
        sent: impl Fn() + Send,
    ) -> Result<(Session, Response<Incoming>), TransportError> {
        let mut renewed = false;
        loop {
            let mut session = self.session();
            // The one that was begun may be gone by now.
            while !session.is_ready() {
                self.renew(None).await?;
                session = self.session();
            }
            sent();
            let response = self.post(core, &session, body.clone()).await?;
            let gone = response.status() == StatusCode::NOT_FOUND && session.id.is_some();
            if !gone || renewed {
                return Ok((session, response));
            }
            renewed = true;
            self.renew(Some(session.number)).await?;
        }
    }

    /// The handshake; by way of HTTP+SSE where nothing else works.
    async fn begin(
        &self,
        core: &Arc<Core>,
        asked: Asked,
        body: Bytes,
    ) -> Result<(), TransportError> {
        if self.remembered() == Some(Begin::Stream) && self.open_stream(core).await.is_ok() {
            return self.post_accepted(core, asked, body).await;
        }
        let session = Session::default();
        let response = self.post(core, &session, body.clone()).await?;
        let status = response.status();
        if status.is_success() {
            self.begun(&response)?;
            let session = self.session();
            return match self.answer(core, asked, session.number, response).await? {
                None => Ok(()),
                Some(broken) => self.take_up(core, asked, &session, broken).await,
            };
        }
        let refusal = self.refusal(response).await;
        if matches!(status.as_u16(), 400 | 404 | 405) {
            match self.open_stream(core).await {
                Ok(()) => return self.post_accepted(core, asked, body).await,
                Err(error @ TransportError::Http(HttpError::Endpoint(_))) => return Err(error),
                Err(error) => {
                    tracing::debug!(error = %PeerDisplay(&error), "no server of HTTP+SSE either");
                }
            }
        }
        core.calls
            .reply(&RequestId::from(asked.id), Reply::Error(refusal?));
        Ok(())
    }

    /// The server has answered the handshake.
    fn begun(&self, response: &Response<Incoming>) -> Result<(), HttpError> {
        let id = response.headers().get(SESSION_ID).cloned();
        let visible = |id: &HeaderValue| {
            let bytes = id.as_bytes();
            !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic)
        };
        if id.as_ref().is_some_and(|id| !visible(id)) {
            return Err(HttpError::SessionId);
        }
        self.session.send_modify(|session| {
            session.number += 1;
            session.stage = Stage::Begun;
            session.heard = false;
            session.id = id;
            session.messages = None;
        });
        Ok(())
    }

    /// Posts a message.
    pub(super) async fn post(
        &self,
        core: &Core,
        session: &Session,
        body: Bytes,
    ) -> Result<Response<Incoming>, HttpError> {
        let url = session.messages.as_ref().unwrap_or(&self.wire.url);
        let revision = core.revision();
        let response = self.wire.send(Method::POST, url, body, |headers| {
            session.post_head(headers, revision);
        });
        response.await
    }

    /// Opens a stream, or goes on with one.
    pub(super) async fn get(
        &self,
        core: &Core,
        session: &Session,
        last: &str,
    ) -> Result<Response<Incoming>, HttpError> {
        let last = match last {
            "" => None,
            id => Some(HeaderValue::try_from(id).map_err(|_| HttpError::Header {
                name: mcp_types::headers::LAST_EVENT_ID.to_owned(),
            })?),
        };
        let revision = core.revision();
        let url = &self.wire.url;
        let response = self.wire.send(Method::GET, url, Bytes::new(), |headers| {
            session.get_head(headers, revision, last.as_ref());
        });
        response.await
    }

    /// Goes on with a stream that broke off before the answer, as often as the server lets it
    /// break off.
    async fn take_up(
        &self,
        core: &Arc<Core>,
        asked: Asked,
        session: &Session,
        broken: Broken,
    ) -> Result<(), TransportError> {
        let Broken { events, mut error } = broken;
        let mut last = events.decoder().last_event_id().to_owned();
        let mut retry = events.decoder().retry();
        drop(events);
        let mut pause = PAUSE;
        let mut attempts = 0;
        while !last.is_empty() && attempts < ATTEMPTS {
            sleep(wait(retry, pause)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            attempts += 1;
            let response = match self.get(core, session, &last).await {
                Ok(response) => response,
                Err(failed @ HttpError::Exchange(_)) => {
                    error = failed.into();
                    continue;
                }
                Err(failed) => return Err(failed.into()),
            };
            if !response.status().is_success() || media(response.headers()) != Media::Events {
                return Err(error);
            }
            let mut events = self.events(session.number, response.into_body());
            match self.hear(core, asked, &mut events).await? {
                Ended::Answered => return Ok(()),
                Ended::Cut(cut) => error = cut,
            }
            retry = events.decoder().retry().or(retry);
            let seen = events.decoder().last_event_id();
            if !seen.is_empty() && seen != last {
                seen.clone_into(&mut last);
                attempts = 0;
                pause = PAUSE;
            }
        }
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_that_a_server_asks_for_is_kept_within_bounds() {
        let second = Duration::from_secs(1);
        assert_eq!(wait(None, PAUSE), PAUSE);
        assert_eq!(wait(Some(second), PAUSE), second);
        assert_eq!(wait(Some(Duration::ZERO), PAUSE), SHORTEST_PAUSE);
        assert_eq!(wait(Some(Duration::MAX), PAUSE), LONGEST_RETRY);
    }
}
