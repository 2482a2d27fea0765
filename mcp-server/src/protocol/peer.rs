//! [`Peer`]: who asks, at which revision, and what it can do.

use std::sync::{Arc, OnceLock};

use mcp_types::{ClientCapabilities, Implementation, RequestMetaObject, Revision};

use crate::protocol::session::Session;

/// The client that sent a request.
///
/// What it says of itself is not checked by the protocol: good for logs and display, not for
/// decisions about rights.
#[derive(Clone)]
pub struct Peer(PeerKind);

#[derive(Clone)]
enum PeerKind {
    /// Told by the request itself; a notification may say nothing.
    Modern(Option<Arc<RequestMetaObject>>),
    /// Told by a handshake.
    Legacy(Arc<Session>),
}

impl Peer {
    pub(crate) fn modern(meta: Option<RequestMetaObject>) -> Self {
        Self(PeerKind::Modern(meta.map(Arc::new)))
    }

    pub(crate) fn legacy(session: Arc<Session>) -> Self {
        Self(PeerKind::Legacy(session))
    }

    /// The revision that the request is written in.
    #[must_use]
    pub fn revision(&self) -> Revision {
        match &self.0 {
            PeerKind::Modern(_) => Revision::LATEST,
            PeerKind::Legacy(session) => session.revision,
        }
    }

    /// Name and version of the client, if it gave them.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        match &self.0 {
            PeerKind::Modern(meta) => meta.as_ref()?.client_info.as_ref(),
            PeerKind::Legacy(session) => Some(&session.client_info),
        }
    }

    /// What the client declared for this request.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        static NONE: OnceLock<ClientCapabilities> = OnceLock::new();
        match &self.0 {
            PeerKind::Modern(meta) => meta.as_ref().map(|meta| &meta.client_capabilities),
            PeerKind::Legacy(session) => Some(&session.capabilities),
        }
        .unwrap_or_else(|| NONE.get_or_init(ClientCapabilities::new))
    }

    /// What a modern request says of its sender.
    pub(crate) fn meta(&self) -> Option<&RequestMetaObject> {
        match &self.0 {
            PeerKind::Modern(meta) => meta.as_deref(),
            PeerKind::Legacy(_) => None,
        }
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        match &self.0 {
            PeerKind::Modern(_) => None,
            PeerKind::Legacy(session) => Some(session),
        }
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Peer")
            .field("revision", &self.revision())
            .field("client_info", &self.client_info())
            .finish_non_exhaustive()
    }
}
