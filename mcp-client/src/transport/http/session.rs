//! [`Session`]: the session with a server of an older revision.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Uri};
use mcp_types::Revision;
use mcp_wire::http_headers::{
    EVENTS, JSON, JSON_AND_EVENTS, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID,
};
use tokio::sync::{Notify, watch};

use crate::protocol::error::ConnectError;

/// A session, since its handshake.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) id: Option<HeaderValue>,
    /// The number of the session. If two calls notice its end, only one new session is started.
    pub(super) number: u64,
    pub(super) phase: SessionPhase,
    /// Whether the server has responded to the request for its stream.
    pub(super) stream_answered: bool,
    /// The URL for messages, over HTTP+SSE of 2024-11-05.
    pub(super) messages: Option<Uri>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SessionPhase {
    /// Not started, or ended.
    #[default]
    Ended,
    /// The server has answered the handshake.
    Started,
    /// The server has received the notification that ends the handshake.
    Ready,
}

impl Session {
    pub(super) fn is_ready(&self) -> bool {
        self.phase == SessionPhase::Ready
    }

    /// Sets the headers of a POST.
    pub(super) fn set_post_headers(&self, headers: &mut HeaderMap, revision: Revision) {
        headers.insert(ACCEPT, JSON_AND_EVENTS);
        headers.insert(CONTENT_TYPE, JSON);
        self.set_headers(headers, revision);
    }

    /// Sets the headers of a GET that opens or resumes a stream.
    pub(super) fn set_get_headers(
        &self,
        headers: &mut HeaderMap,
        revision: Revision,
        last: Option<&HeaderValue>,
    ) {
        headers.insert(ACCEPT, EVENTS);
        if let Some(last) = last {
            headers.insert(LAST_EVENT_ID, last.clone());
        }
        self.set_headers(headers, revision);
    }

    /// Sets the session id and the protocol version.
    pub(super) fn set_headers(&self, headers: &mut HeaderMap, revision: Revision) {
        headers.remove(SESSION_ID);
        headers.remove(PROTOCOL_VERSION);
        if let Some(id) = &self.id {
            headers.insert(SESSION_ID, id.clone());
        }
        // The transport of 2024-11-05 has no such header.
        let has_version = self.phase != SessionPhase::Ended && self.messages.is_none();
        if let Some(version) = version(revision).filter(|_| has_version) {
            headers.insert(PROTOCOL_VERSION, version);
        }
    }
}

/// Returns the value of `MCP-Protocol-Version`; older revisions do not have the header.
fn version(revision: Revision) -> Option<HeaderValue> {
    let known = revision >= Revision::V2025_06_18;
    known.then(|| HeaderValue::from_static(revision.as_str()))
}

/// Connects the calls that need a new session with the task that starts one.
#[derive(Default)]
pub(super) struct SessionRecovery {
    /// Notified by calls that need a session.
    pub(super) wanted: Notify,
    /// The error of the last attempt, if it failed. Sent after each attempt.
    pub(super) attempts: watch::Sender<Option<Arc<ConnectError>>>,
}
