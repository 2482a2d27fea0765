//! Requests in sessions, which are in the table of this process or in the store that all processes
//! share, and messages of other processes. `get` opens and resumes streams, `post` dispatches messages
//! and creates the response.

pub(crate) mod get;
pub(crate) mod post;

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::peer_text::Chain;
use mcp_types::rpc::Message;
use mcp_wire::http_headers::SESSION_ID;

use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::dispatch::{Parsed, respond};
use crate::protocol::message::Answer;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::quota::PeerUsage;
use crate::protocol::session::Session;
use crate::protocol::store::link::BusReceiver;
use crate::protocol::store::message::BusMessage;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::headers;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::record::SessionDelta;
use crate::transport::http::session::table::{SessionLookup, SessionNotAdded};
use crate::transport::http::{config, ids};

/// Returns the id in `Mcp-Session-Id`, or `None` if the request does not belong to a session.
pub(crate) fn session_id(parts: &Parts) -> Option<&str> {
    if headers::declared_modern(parts).is_some() {
        return None;
    }
    let id = parts.headers.get(SESSION_ID)?;
    Some(id.to_str().unwrap_or_default())
}

/// Returns `true` for a request whose body declares its revision. Such a request has no session.
pub(crate) fn declares_revision(message: &Message<'_>) -> bool {
    let Message::Request { params, .. } = message else {
        return false;
    };
    ParamsView::read(*params).is_ok_and(|head| head.version().is_some())
}

impl Endpoint {
    /// Finds the session of a request, which must name one.
    pub(crate) async fn session_of(&self, parts: &Parts) -> Result<Arc<SessionHandle>, Refusal> {
        let id = session_id(parts).ok_or(Refusal::MissingSession)?;
        self.find_session(id, parts).await
    }

    /// Finds the session with this id, and checks the other headers of the request.
    pub(crate) async fn find_session(
        &self,
        id: &str,
        parts: &Parts,
    ) -> Result<Arc<SessionHandle>, Refusal> {
        headers::check_version(parts).map_err(Refusal::ProtocolVersion)?;
        let found = if ids::is_session_id(id) {
            self.sessions.find(id, config::principal(parts)).await?
        } else {
            SessionLookup::Unknown
        };
        match found {
            SessionLookup::Found(handle) => return Ok(handle),
            SessionLookup::Full => return Err(Refusal::Sessions),
            SessionLookup::Expired => Box::pin(self.sessions.end(id)).await?,
            SessionLookup::Unknown => {}
        }
        Err(Refusal::UnknownSession)
    }

    /// Handles DELETE: ends the session.
    pub(crate) async fn delete(
        &self,
        parts: &Parts,
        peer: &Arc<PeerUsage>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let handle = self.session_of(parts).await?;
        self.count_message(peer, 0)?;
        self.sessions.end(handle.id()).await?;
        Ok(answer::empty(StatusCode::NO_CONTENT))
    }

    /// Adds an initialized session, and sends its id to the client.
    pub(crate) async fn add_session(
        &self,
        session: Arc<Session>,
        response_message: Answer,
        peer: Arc<PeerUsage>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let handle = self.sessions.add_new(session, peer).await;
        let handle = handle.map_err(|error| match error {
            SessionNotAdded::Full => Refusal::Sessions,
            SessionNotAdded::PeerFull => Refusal::PeerSessions,
            SessionNotAdded::Store(error) => error.into(),
        })?;
        let mut response = answer::answer(response_message);
        if let Ok(id) = HeaderValue::from_str(handle.id()) {
            response.headers_mut().insert(SESSION_ID, id);
        }
        Ok(response)
    }
}

impl Endpoint {
    /// Counts a message of so many bytes to the other processes for the peer that causes it, if
    /// there is a bus.
    pub(crate) fn count_message(&self, peer: &Arc<PeerUsage>, bytes: usize) -> Result<(), Refusal> {
        if self.server.stores.bus.is_some() && !Arc::clone(peer).bus_message(bytes) {
            return Err(Refusal::PeerMessages);
        }
        Ok(())
    }

    /// Sends a message to the other processes, if there is a bus. It has been
    /// [counted](Self::count_message).
    pub(crate) async fn publish(&self, message: &BusMessage) -> Result<(), Refusal> {
        if let Some(bus) = &self.server.stores.bus {
            bus.publish(message).await?;
        }
        Ok(())
    }
}

impl BusReceiver for Endpoint {
    fn receive(&self, message: &BusMessage) {
        match message {
            BusMessage::Answer { session, message } => {
                let Some(handle) = self.sessions.local(session) else {
                    return;
                };
                let session = Some(&*handle.session);
                let limits = &self.server.limits;
                match self.server.read(message, session) {
                    Ok(Parsed::One(message)) => {
                        respond::deliver_response(session, &message, limits);
                    }
                    Ok(Parsed::Batch(messages)) => {
                        for message in messages.iter().flatten() {
                            respond::deliver_response(session, message, limits);
                        }
                    }
                    // A malformed one has failed its request.
                    Err(_) => {}
                }
            }
            BusMessage::Cancel {
                session,
                request,
                reason,
            } => {
                if let Some(handle) = self.sessions.local(session) {
                    handle.cancel(&Cancellation {
                        id: request.clone(),
                        reason: reason.clone(),
                    });
                }
            }
            BusMessage::SessionEnded { session } => {
                self.sessions.ended_elsewhere(session);
            }
            BusMessage::SessionChanged { session, value } => {
                let Some(handle) = self.sessions.local(session) else {
                    return;
                };
                match SessionDelta::read(value) {
                    Ok(delta) => {
                        let _changing = handle.begin_change();
                        delta.apply(&handle.session);
                        let sessions = Arc::clone(&self.sessions);
                        let handle = Arc::clone(&handle);
                        let runtime = handle.runtime.clone();
                        runtime.spawn(async move { sessions.update_copy_memory(&handle).await });
                    }
                    Err(error) => {
                        tracing::error!(error = %Chain(&error), "malformed change of a session");
                    }
                }
            }
            BusMessage::Listening { session, stream } => {
                if let Some(handle) = self.sessions.local(session) {
                    handle.end_announcements_except(stream);
                }
            }
            BusMessage::Everything => self.sessions.bus_lost_messages(),
            BusMessage::Changes(_) | BusMessage::Extension { .. } => {}
            #[cfg(feature = "proposals")]
            BusMessage::UrlsRevoked { .. } => {}
        }
    }
}
