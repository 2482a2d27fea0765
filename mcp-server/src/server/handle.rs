//! [`Server`]: the public handle of a server.

use std::fmt;
use std::sync::Arc;

use mcp_types::{Proposal, ServerCapabilities};

use crate::protocol::changes::Change;
use crate::protocol::core::{Context, Core};
use crate::protocol::limits::Limits;
use crate::server::catalogs::Catalogs;

/// A server: handlers, lists and settings, ready to be served. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    pub(crate) core: Arc<Core>,
    pub(crate) catalogs: Arc<Catalogs>,
}

impl Server {
    /// The bounds that peers are held to.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.core.limits
    }

    /// What the server says that it can do.
    #[must_use]
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.core.capabilities
    }

    /// Whether the program opted into a proposal.
    #[must_use]
    pub fn offers(&self, proposal: Proposal) -> bool {
        self.core.offers(proposal)
    }

    /// Announces that the list of tools changed.
    pub fn tools_changed(&self) {
        self.announce(Change::Tools);
    }

    /// Announces that the list of prompts changed.
    pub fn prompts_changed(&self) {
        self.announce(Change::Prompts);
    }

    /// Announces that the list of resources or of resource templates changed.
    pub fn resources_changed(&self) {
        self.announce(Change::Resources);
    }

    /// Announces that a resource changed, to those who subscribed to its URI.
    ///
    /// To be called after the change: whoever reads the resource on hearing of it must find it
    /// changed. Under the proposal `versioned-resources` it is described, and where it has no
    /// version of its own read, to be sent as it is now.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.announce(Change::Resource(uri.into()));
    }

    /// Announces a change to everyone who subscribed, in all processes on the [`Bus`](crate::Bus).
    ///
    /// Never waits: whoever reads slowly is told once of any number of changes.
    pub fn announce(&self, change: Change) {
        self.core.announce(change);
    }

    /// Replaces the keys that request state and cursors are sealed with, see
    /// [`Keys`](crate::Keys).
    #[cfg(feature = "_seal")]
    pub fn rotate_keys(&self, keys: crate::Keys) {
        self.core.keys.set(keys);
    }

    /// Shuts the server down, on every way it is served.
    ///
    /// New requests are refused (503 over HTTP, -32603 elsewhere). Subscriptions end with their
    /// result; streams on which nothing is served end at once, such as those of announcements to
    /// sessions. Requests in flight have [`Limits::grace_time`] to finish; those that take longer
    /// are ended with an error. Clients can still cancel them, and answer what their handlers ask.
    /// Called again, it does nothing.
    pub fn shutdown(&self) {
        self.core.stopping.set();
    }
}

impl Context {
    /// The server that the handler belongs to: its lists, and announcements of changes.
    #[must_use]
    pub fn server(&self) -> Server {
        let core = Arc::clone(self.core());
        let assembly = Arc::clone(&core.assembly);
        // The assembly keeps nothing else there.
        let catalogs = assembly.downcast().unwrap_or_default();
        Server { core, catalogs }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("info", &self.core.info)
            .finish_non_exhaustive()
    }
}
