//! Requests in sessions. `requests` finds the session: in the table of this process, or in the store
//! that all processes share. `get` opens and resumes streams, `post` dispatches messages, `response`
//! creates the response, and `cluster` handles messages of other processes.

pub(crate) mod cluster;
pub(crate) mod get;
pub(crate) mod post;

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::rpc::Message;
use mcp_wire::http_headers::SESSION_ID;

use crate::protocol::message::Answer;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::quota::PeerUsage;
use crate::protocol::session::Session;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::headers;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;
use crate::transport::http::session::handle::SessionHandle;
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
