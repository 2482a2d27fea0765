//! Requests of sessions, as the revisions from 2025-03-26 to 2025-11-25 have them: which session a
//! request belongs to, and how sessions begin and end.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::rpc::Message;

use crate::protocol::answer::Answer;
use crate::protocol::params_view::ParamsView;
use crate::protocol::quota::PeerUsage;
use crate::protocol::session::Session;
use crate::transport::http::answer;
use crate::transport::http::body::HttpBody;
use crate::transport::http::config;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::header_names::SESSION_ID;
use crate::transport::http::headers;
use crate::transport::http::ids;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::table::SessionLookup;

/// The session that a request names, where it is one of a session at all.
pub(crate) fn session_id(parts: &Parts) -> Option<&str> {
    if config::is_modern(parts) {
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
    /// The session of a request.
    pub(crate) async fn entry(&self, parts: &Parts) -> Result<Arc<SessionHandle>, Refusal> {
        let id = session_id(parts).ok_or(Refusal::MissingSession)?;
        self.entry_of(id, parts).await
    }

    /// The session of a request that names it.
    pub(crate) async fn entry_of(
        &self,
        id: &str,
        parts: &Parts,
    ) -> Result<Arc<SessionHandle>, Refusal> {
        headers::check_version(parts).map_err(Refusal::ProtocolVersion)?;
        let found = if ids::is_session_id(id) {
            self.sessions.find(id, config::principal(parts)).await
        } else {
            SessionLookup::Unknown
        };
        match found {
            SessionLookup::Here(entry) => return Ok(entry),
            SessionLookup::NoPlace => {
                return Err(Refusal::Sessions);
            }
            SessionLookup::Expired => Box::pin(self.sessions.end(id)).await,
            SessionLookup::Unknown => {}
        }
        Err(Refusal::UnknownSession)
    }

    /// DELETE: ends the session.
    pub(crate) async fn delete(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        let entry = self.entry(parts).await?;
        self.sessions.end(entry.id()).await;
        Ok(answer::empty(StatusCode::NO_CONTENT))
    }

    /// Keeps a session that began, and says its id.
    pub(crate) async fn begin(
        &self,
        session: Arc<Session>,
        first: Answer,
        peer: Arc<PeerUsage>,
    ) -> Response<HttpBody> {
        let Some(entry) = self.sessions.begin(session, peer).await else {
            return self.refuse(&Refusal::Sessions);
        };
        let mut response = answer::answer(first);
        if let Ok(id) = HeaderValue::from_str(entry.id()) {
            response.headers_mut().insert(SESSION_ID, id);
        }
        response
    }
}
