//! Requests of sessions, as the revisions from 2025-03-26 to 2025-11-25 have them: which session a
//! request belongs to, and how sessions begin and end.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::Revision;
use mcp_types::rpc::{self, Message};

use super::answer;
use super::body::HttpBody;
use super::entry::Entry;
use super::guard::{self, Refusal};
use super::ids;
use super::names::{PROTOCOL_VERSION, SESSION_ID};
use super::service::Endpoint;
use super::sessions::Found;
use crate::engine::{Answer, Head};
use crate::metrics::RefusalCause;
use crate::quota::PeerUsage;
use crate::session::Session;

/// The session that a request names, where it is one of a session at all.
pub(super) fn session_id(parts: &Parts) -> Option<&str> {
    if guard::is_modern(parts) {
        return None;
    }
    let id = parts.headers.get(SESSION_ID)?;
    Some(id.to_str().unwrap_or_default())
}

/// Whether a body is a request that says itself which revision it is of. Sessions are nothing to
/// it.
pub(super) fn is_modern(bytes: &[u8]) -> bool {
    let Ok(Message::Request { params, .. }) = rpc::parse(bytes) else {
        return false;
    };
    Head::read(params).is_ok_and(|head| head.version().is_some())
}

impl Endpoint {
    /// The session of a request.
    pub(super) async fn entry(&self, parts: &Parts) -> Result<Arc<Entry>, Refusal> {
        let missing = Refusal(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing");
        let id = session_id(parts).ok_or(missing)?;
        self.entry_of(id, parts).await
    }

    /// The session of a request that names it.
    pub(super) async fn entry_of(&self, id: &str, parts: &Parts) -> Result<Arc<Entry>, Refusal> {
        for version in parts.headers.get_all(PROTOCOL_VERSION) {
            let version = version.to_str().unwrap_or_default().trim();
            if version.parse::<Revision>().is_err() {
                let what = "`MCP-Protocol-Version` is none that is supported";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            }
        }
        let found = if ids::is_session_id(id) {
            self.sessions.find(id, guard::principal(parts)).await
        } else {
            Found::Unknown
        };
        match found {
            Found::Here(entry) => return Ok(entry),
            Found::NoPlace => {
                self.count(RefusalCause::Sessions);
                return Err(TOO_MANY);
            }
            Found::Expired => Box::pin(self.sessions.end(id)).await,
            Found::Unknown => {}
        }
        Err(NO_SESSION)
    }

    /// DELETE: ends the session.
    pub(super) async fn delete(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        let entry = self.entry(parts).await?;
        self.sessions.end(entry.id()).await;
        Ok(answer::empty(StatusCode::NO_CONTENT))
    }

    /// Keeps a session that began, and says its id.
    pub(super) async fn begin(
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

pub(super) const NO_SESSION: Refusal = Refusal(
    StatusCode::NOT_FOUND,
    "this session is not known, or has ended",
);
const TOO_MANY: Refusal = Refusal(StatusCode::SERVICE_UNAVAILABLE, "too many sessions");
