//! [`Server`]: what is offered, shared by all transports.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use mcp_types::{Implementation, MessageInfo, Proposal, Revision, ServerCapabilities};
use serde_json::value::RawValue;

use crate::builder::ServerBuilder;
use crate::changes::{Bus, BusMessage, BusReceiver, Change, Hub};
use crate::context::Ended;
use crate::error::ErrorDetail;
use crate::limits::Limits;
use crate::lists::Features;
use crate::quota::Peers;
use crate::route::{Listener, Methods, Route};

/// A server: handlers, lists and settings, ready to be served. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) info: Implementation,
    pub(crate) info_text: Box<RawValue>,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) proposals: BTreeSet<Proposal>,
    pub(crate) limits: Limits,
    pub(crate) error_detail: ErrorDetail,
    pub(crate) routes: Methods<Routed>,
    pub(crate) listeners: Methods<Box<dyn Listener>>,
    pub(crate) features: Features,
    pub(crate) hub: Hub,
    pub(crate) bus: Option<Arc<dyn Bus>>,
    pub(crate) peers: Arc<Peers>,
    pub(crate) stopping: Ended,
    #[cfg(feature = "http")]
    pub(crate) counters: crate::metrics::Counters,
    #[cfg(feature = "seal")]
    pub(crate) keys: crate::seal::KeySlot,
    /// Whether the keys are random ones, which no other process has.
    #[cfg(all(feature = "http", feature = "seal"))]
    pub(crate) random_keys: bool,
    #[cfg(feature = "https-url")]
    pub(crate) urls: Option<Arc<crate::urls::Urls>>,
}

impl Server {
    /// Begins the definition of a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// The bounds that peers are held to.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// What the server says that it can do.
    #[must_use]
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.inner.capabilities
    }

    /// Whether the program opted into a proposal.
    #[must_use]
    pub fn offers(&self, proposal: Proposal) -> bool {
        self.inner.proposals.contains(&proposal)
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

    /// Announces a change to everyone who subscribed, in all processes on the [`Bus`].
    ///
    /// Never waits: whoever reads slowly is told once of any number of changes.
    pub fn announce(&self, change: Change) {
        match &self.inner.bus {
            Some(bus) => bus.publish(BusMessage::Change(change)),
            None => self.inner.hub.tell(&change),
        }
    }

    /// Replaces the keys that request state and cursors are sealed with, see
    /// [`Keys`](crate::Keys).
    #[cfg(feature = "seal")]
    pub fn rotate_keys(&self, keys: crate::Keys) {
        self.inner.keys.set(keys);
    }

    /// Shuts the server down, on every way it is served.
    ///
    /// New requests are refused (503 over HTTP, -32603 elsewhere). Subscriptions end with their
    /// result; streams on which nothing is served end at once, such as those of announcements to
    /// sessions. Requests in flight have [`Limits::grace_time`] to finish; those that take longer
    /// are ended with an error. Clients can still cancel them, and answer what their handlers ask.
    /// Called again, it does nothing.
    pub fn shutdown(&self) {
        self.inner.stopping.set();
    }

    /// Resolves after [`Server::shutdown`].
    pub(crate) async fn stopping(&self) {
        self.inner.stopping.wait().await;
    }

    /// Resolves when the server has been shutting down for [`Limits::grace_time`].
    #[cfg(feature = "http")]
    pub(crate) async fn grace_over(&self) {
        self.stopping().await;
        tokio::time::sleep(self.limits().grace_time).await;
    }

    /// Name and version as JSON.
    pub(crate) fn info(&self) -> &RawValue {
        &self.inner.info_text
    }

    /// The handler of a method, if the revision has the method.
    pub(crate) fn route(&self, method: &str, revision: Revision) -> Option<&dyn Route> {
        let routed = self.inner.routes.get(method)?;
        let here = routed.revisions.contains(&revision);
        here.then_some(&*routed.route)
    }

    pub(crate) fn listener(&self, method: &str) -> Option<&dyn Listener> {
        self.inner.listeners.get(method).map(|listener| &**listener)
    }
}

/// A handler, and the revisions that have its method.
pub(crate) struct Routed {
    route: Box<dyn Route>,
    revisions: Vec<Revision>,
}

impl Routed {
    /// A method that no revision has is an application's own and there for all.
    pub(crate) fn new(method: &str, route: Box<dyn Route>) -> Self {
        let has = |revision: &&Revision| {
            let mut messages = messages(**revision).iter();
            messages.any(|known| known.method == method)
        };
        let mut revisions: Vec<Revision> = Revision::ALL.iter().filter(has).copied().collect();
        if revisions.is_empty() {
            revisions = Revision::ALL.to_vec();
        }
        Self { route, revisions }
    }
}

/// The table of a revision.
fn messages(revision: Revision) -> &'static [MessageInfo] {
    match revision {
        Revision::V2026_07_28 => mcp_types::v2026_07_28::MESSAGES,
        Revision::V2025_11_25 => mcp_types::v2025_11_25::MESSAGES,
        Revision::V2025_06_18 => mcp_types::v2025_06_18::MESSAGES,
        Revision::V2025_03_26 => mcp_types::v2025_03_26::MESSAGES,
        Revision::V2024_11_05 => mcp_types::v2024_11_05::MESSAGES,
        _ => &[],
    }
}

impl BusReceiver for Inner {
    fn receive(&self, message: BusMessage) {
        match message {
            BusMessage::Change(change) => self.hub.tell(&change),
            #[cfg(feature = "https-url")]
            BusMessage::UrlsRevoked { uri, until } => {
                if let Some(urls) = &self.urls {
                    urls.revoke(&uri, until);
                }
            }
            _ => {}
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("info", &self.inner.info)
            .finish_non_exhaustive()
    }
}
