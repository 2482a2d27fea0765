//! [`Peer`]: who asks, at which revision, and what it can do.

use std::sync::{Arc, OnceLock};

use mcp_types::{ClientCapabilities, Implementation, Revision, json};

use crate::session::Session;

/// The client that sent a request.
///
/// What it says of itself is not checked by the protocol: good for logs and display, not for
/// decisions about rights.
#[derive(Clone)]
pub struct Peer(Kind);

#[derive(Clone)]
enum Kind {
    /// Told by the request itself.
    Modern(Arc<Modern>),
    /// Told by a handshake.
    Legacy(Arc<Session>),
}

struct Modern {
    capabilities: Lazy<ClientCapabilities>,
    client_info: Lazy<Implementation>,
}

/// Raw JSON that few handlers look at, decoded when one does.
struct Lazy<T> {
    text: Option<Box<str>>,
    value: OnceLock<Option<T>>,
}

impl<T: serde::de::DeserializeOwned> Lazy<T> {
    fn new(text: Option<&str>) -> Self {
        Self {
            text: text.map(Into::into),
            value: OnceLock::new(),
        }
    }

    fn get(&self) -> Option<&T> {
        self.value
            .get_or_init(|| json::from_str(self.text.as_deref()?).ok())
            .as_ref()
    }
}

impl Peer {
    pub(crate) fn modern(capabilities: Option<&str>, client_info: Option<&str>) -> Self {
        Self(Kind::Modern(Arc::new(Modern {
            capabilities: Lazy::new(capabilities),
            client_info: Lazy::new(client_info),
        })))
    }

    pub(crate) fn legacy(session: Arc<Session>) -> Self {
        Self(Kind::Legacy(session))
    }

    /// The revision that the request is written in.
    #[must_use]
    pub fn revision(&self) -> Revision {
        match &self.0 {
            Kind::Modern(_) => Revision::LATEST,
            Kind::Legacy(session) => session.revision,
        }
    }

    /// Name and version of the client, if it gave them.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        match &self.0 {
            Kind::Modern(modern) => modern.client_info.get(),
            Kind::Legacy(session) => Some(&session.client_info),
        }
    }

    /// What the client declared for this request.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        static NONE: OnceLock<ClientCapabilities> = OnceLock::new();
        match &self.0 {
            Kind::Modern(modern) => modern.capabilities.get(),
            Kind::Legacy(session) => Some(&session.capabilities),
        }
        .unwrap_or_else(|| NONE.get_or_init(ClientCapabilities::new))
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        match &self.0 {
            Kind::Modern(_) => None,
            Kind::Legacy(session) => Some(session),
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
