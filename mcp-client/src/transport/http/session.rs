//! [`Session`]: the session with a server of an older revision.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use mcp_types::{Revision, headers};
use tokio::sync::{Notify, watch};

use crate::protocol::error::ConnectError;

/// What every POST accepts as an answer.
pub(super) const BOTH: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub(super) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static(headers::PROTOCOL_VERSION);
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static(headers::SESSION_ID);
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static(headers::LAST_EVENT_ID);

/// A session, from its handshake on.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) id: Option<HeaderValue>,
    /// Which one it is, so that of two calls that find it gone one begins the next.
    pub(super) number: u64,
    pub(super) phase: SessionPhase,
    /// Whether the server has answered the request for a stream of its own.
    pub(super) stream_answered: bool,
    /// Where messages are posted, over HTTP+SSE of 2024-11-05.
    pub(super) messages: Option<Uri>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SessionPhase {
    /// Not begun, or gone.
    #[default]
    Gone,
    /// The server has answered the handshake.
    Begun,
    /// The server knows that the handshake is over.
    Ready,
}

impl Session {
    pub(super) fn is_ready(&self) -> bool {
        self.phase == SessionPhase::Ready
    }

    /// The headers of a POST.
    pub(super) fn post_head(&self, headers: &mut HeaderMap, revision: Revision) {
        headers.insert(ACCEPT, BOTH);
        headers.insert(CONTENT_TYPE, JSON);
        self.head(headers, revision);
    }

    /// The headers of a GET, which opens a stream, or goes on with one.
    pub(super) fn get_head(
        &self,
        headers: &mut HeaderMap,
        revision: Revision,
        last: Option<&HeaderValue>,
    ) {
        headers.insert(ACCEPT, EVENTS);
        if let Some(last) = last {
            headers.insert(LAST_EVENT_ID, last.clone());
        }
        self.head(headers, revision);
    }

    pub(super) fn head(&self, headers: &mut HeaderMap, revision: Revision) {
        headers.remove(SESSION_ID);
        headers.remove(PROTOCOL_VERSION);
        if let Some(id) = &self.id {
            headers.insert(SESSION_ID, id.clone());
        }
        // The transport of 2024-11-05 has no such header.
        let has_version = self.phase != SessionPhase::Gone && self.messages.is_none();
        if let Some(version) = version(revision).filter(|_| has_version) {
            headers.insert(PROTOCOL_VERSION, version);
        }
    }
}

/// The header's value for a revision; older revisions do without.
fn version(revision: Revision) -> Option<HeaderValue> {
    let known = revision >= Revision::V2025_06_18;
    known.then(|| HeaderValue::from_static(revision.as_str()))
}

/// Connects the calls that need a new session with the task that begins one.
#[derive(Default)]
pub(super) struct SessionRecovery {
    /// Notified by calls that need a session.
    pub(super) wanted: Notify,
    /// The error of the last attempt, if it failed. Sent after each attempt.
    pub(super) attempts: watch::Sender<Option<Arc<ConnectError>>>,
}
