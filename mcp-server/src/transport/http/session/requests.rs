//! Requests of sessions, as the revisions from 2025-03-26 to 2025-11-25 have them: which session a
//! request belongs to, and how sessions begin and end.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::Revision;
use mcp_types::rpc::{self, Message};

use crate::protocol::answer::Answer;
use crate::protocol::metrics::refusals::RefusalCause;
use crate::protocol::params_view::ParamsView;
use crate::protocol::quota::PeerUsage;
use crate::protocol::session::Session;
use crate::transport::http::answer;
use crate::transport::http::body::HttpBody;
use crate::transport::http::config;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::header_names::{PROTOCOL_VERSION, SESSION_ID};
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

/// Whether a body is a request that says itself which revision it is of. Sessions are nothing to
/// it.
pub(crate) fn is_modern(bytes: &[u8]) -> bool {
    let Ok(Message::Request { params, .. }) = rpc::parse(bytes) else {
        return false;
    };
    ParamsView::read(params).is_ok_and(|head| head.version().is_some())
}

impl Endpoint {
    /// The session of a request.
    pub(crate) async fn entry(&self, parts: &Parts) -> Result<Arc<SessionHandle>, Refusal> {
        let missing = Refusal(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing");
        let id = session_id(parts).ok_or(missing)?;
        self.entry_of(id, parts).await
    }

    /// The session of a request that names it.
    pub(crate) async fn entry_of(
        &self,
        id: &str,
        parts: &Parts,
    ) -> Result<Arc<SessionHandle>, Refusal> {
        for version in parts.headers.get_all(PROTOCOL_VERSION) {
            let version = version.to_str().unwrap_or_default().trim();
            if version.parse::<Revision>().is_err() {
                let what = "`MCP-Protocol-Version` is none that is supported";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            }
        }
        let found = if ids::is_session_id(id) {
            self.sessions.find(id, config::principal(parts)).await
        } else {
            SessionLookup::Unknown
        };
        match found {
            SessionLookup::Here(entry) => return Ok(entry),
            SessionLookup::NoPlace => {
                self.count(RefusalCause::Sessions);
                return Err(TOO_MANY);
            }
            SessionLookup::Expired => Box::pin(self.sessions.end(id)).await,
            SessionLookup::Unknown => {}
        }
        Err(NO_SESSION)
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
            self.count(RefusalCause::Sessions);
            return self.refuse(TOO_MANY);
        };
        let mut response = answer::answer(first);
        if let Ok(id) = HeaderValue::from_str(entry.id()) {
            response.headers_mut().insert(SESSION_ID, id);
        }
        response
    }
}

pub(crate) const NO_SESSION: Refusal = Refusal(
    StatusCode::NOT_FOUND,
    "this session is not known, or has ended",
);
const TOO_MANY: Refusal = Refusal(StatusCode::SERVICE_UNAVAILABLE, "too many sessions");
