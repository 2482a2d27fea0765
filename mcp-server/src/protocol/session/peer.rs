//! [`Peer`]: the client that sent a request, its revision and capabilities.

use std::sync::{Arc, OnceLock};

use mcp_types::{ClientCapabilities, Implementation, RequestMetaObject, Revision};
use mcp_wire::capability::is_declared;

use crate::protocol::session::Session;
use crate::util::partial_debug::partial_debug;

/// The client that sent a request.
///
/// The protocol does not authenticate this information. Use it for logs and display, never to
/// decide about rights.
#[derive(Clone)]
pub struct Peer(PeerKind);

#[derive(Clone)]
enum PeerKind {
    /// From the request itself. A notification may have no `_meta`.
    Modern(Revision, Option<Arc<RequestMetaObject>>),
    /// From the handshake of the session.
    Legacy(Arc<Session>),
}

impl Peer {
    pub(crate) fn modern(revision: Revision, meta: Option<RequestMetaObject>) -> Self {
        Self(PeerKind::Modern(revision, meta.map(Arc::new)))
    }

    pub(crate) fn legacy(session: Arc<Session>) -> Self {
        Self(PeerKind::Legacy(session))
    }

    /// Returns the revision of the request.
    #[must_use]
    pub fn revision(&self) -> Revision {
        match &self.0 {
            PeerKind::Modern(revision, _) => *revision,
            PeerKind::Legacy(session) => session.revision,
        }
    }

    /// Returns name and version of the client, if it sent them.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        match &self.0 {
            PeerKind::Modern(_, meta) => meta.as_ref()?.client_info.as_ref(),
            PeerKind::Legacy(session) => Some(&session.client_info),
        }
    }

    /// Returns the capabilities that the client declared for this request.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        static NONE: OnceLock<ClientCapabilities> = OnceLock::new();
        match &self.0 {
            PeerKind::Modern(_, meta) => meta.as_ref().map(|meta| &meta.client_capabilities),
            PeerKind::Legacy(session) => Some(&session.capabilities),
        }
        .unwrap_or_else(|| NONE.get_or_init(ClientCapabilities::new))
    }

    /// Returns `true` if the client declared the capability of this name for this request. Unlike
    /// the fields of [`capabilities`](Self::capabilities), this also knows capabilities that the
    /// newest revision no longer has.
    #[must_use]
    pub fn declares(&self, capability: &str) -> bool {
        is_declared(self.capabilities(), capability)
    }

    /// The sender in `_meta` of a modern request.
    pub(crate) fn meta(&self) -> Option<&RequestMetaObject> {
        match &self.0 {
            PeerKind::Modern(_, meta) => meta.as_deref(),
            PeerKind::Legacy(_) => None,
        }
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        match &self.0 {
            PeerKind::Modern(..) => None,
            PeerKind::Legacy(session) => Some(session),
        }
    }
}

partial_debug!(Peer, |it| revision: it.revision(), client_info: it.client_info());
