//! [`Server`]: the public handle of a server.

use std::sync::{Arc, PoisonError, Weak};

use mcp_types::{Proposal, ServerCapabilities};
use serde::Serialize;

use crate::features::catalog::ListHandle;
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::templates::definition::TemplateDef;
use crate::features::tools::definition::ToolDef;
use crate::protocol::changes::{Announced, Change};
use crate::protocol::core::metrics::snapshot;
use crate::protocol::core::{Context, Core};
use crate::protocol::dispatch::announcements::change_params;
use crate::protocol::dispatch::extension::ServerExtension;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::Limits;
use crate::protocol::metrics::Metrics;
use crate::server::builder::ServerBuilder;
use crate::server::catalogs::Catalogs;
use crate::util::partial_debug::partial_debug;

/// A server that is ready to be served. Cheap to clone; all clones are the same server.
#[derive(Clone)]
pub struct Server {
    pub(crate) core: Arc<Core>,
    pub(crate) catalogs: Arc<Catalogs>,
}

impl Server {
    /// Returns the limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.core.limits
    }

    /// Returns the capabilities that the server declares.
    #[must_use]
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.core.about.capabilities
    }

    /// Returns `true` if the program opted into a proposal.
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

    /// Announces that a resource changed, to the clients that subscribed to its URI.
    ///
    /// Call this after the change: clients that read the resource because of the notification must
    /// get the new contents. Clients that negotiated the proposal `versioned-resources` get the
    /// resource in the notification, so its handlers run; they are not notified twice of one
    /// version.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.announce(Change::Resource(uri.into()));
    }

    /// Announces a change to all clients that subscribed, in all processes on the
    /// [`Bus`](crate::Bus).
    ///
    /// Never waits: a slow client gets one notification for any number of changes.
    pub fn announce(&self, change: Change) {
        self.core.announce(change);
    }

    /// Announces a change with members of its params beside those that the protocol defines: `_meta`,
    /// and what extensions add. For gateways, which pass on the announcements of other servers.
    ///
    /// The server sets the URI of the resource and the id of the subscription itself. A slow client
    /// that has not read an announcement gets the params of the newest one, and none beyond 64 KiB
    /// of them. A notification with the contents of the resource (proposal `versioned-resources`) has
    /// no such params.
    ///
    /// # Errors
    ///
    /// -32603 if the params or their `_meta` are not an object, cannot be encoded, or have more than
    /// 16 KiB. Nothing is announced then.
    pub fn announce_with(
        &self,
        change: Change,
        params: &(impl Serialize + ?Sized),
    ) -> Result<(), HandlerError> {
        let params = change_params(params)?;
        self.core.announce(Announced::new(change, params));
        Ok(())
    }

    /// Replaces the [instructions](crate::ServerBuilder::instructions) for the model. Clients get them
    /// when they connect, so those that are connected keep the old ones.
    pub fn set_instructions(&self, instructions: Option<String>) {
        let known = self.core.instructions.write();
        *known.unwrap_or_else(PoisonError::into_inner) = instructions;
    }

    /// Replaces the keys that request state and cursors are sealed with, see
    /// [`Keys`](crate::Keys).
    pub fn rotate_keys(&self, keys: crate::Keys) {
        self.core.keys.set(keys);
    }

    /// Shuts the server down, on every transport.
    ///
    /// New requests are refused (503 over HTTP, -32603 elsewhere). Subscriptions end with their
    /// result. Streams without a request in flight end at once, such as those for announcements to
    /// sessions. Requests in flight have [`Limits::grace_time`] to finish; then they end with an
    /// error. Clients can still cancel them, and answer questions of their handlers. Tasks have the
    /// same time, see the [guide](crate::guide::shutdown). Further calls do nothing.
    pub fn shutdown(&self) {
        self.core.shut_down();
    }

    /// Returns a handle that does not keep the server alive, for a task that works for it in the
    /// background.
    #[must_use]
    pub fn downgrade(&self) -> WeakServer {
        WeakServer {
            core: Arc::downgrade(&self.core),
        }
    }

    fn of(core: &Arc<Core>) -> Self {
        let assembly = Arc::clone(&core.assembly);
        let Ok(catalogs) = assembly.downcast() else {
            unreachable!("`ServerBuilder::build` stores the catalogs");
        };
        let core = Arc::clone(core);
        Self { core, catalogs }
    }
}

/// A handle of a [`Server`] that does not keep it alive, see [`Server::downgrade`].
#[derive(Clone)]
pub struct WeakServer {
    core: Weak<Core>,
}

impl WeakServer {
    /// Returns the server, or `None` if all its handles were dropped and nothing serves it.
    #[must_use]
    pub fn upgrade(&self) -> Option<Server> {
        self.core.upgrade().map(|core| Server::of(&core))
    }
}

partial_debug!(WeakServer);

impl ServerExtension {
    /// Calls a function when a server with the extension was built, for example to start a task that
    /// [announces](Server::announce) changes. The task keeps a [`WeakServer`]; a [`Server`] in it would
    /// never end. `build` may run outside of a runtime of tokio.
    pub fn on_built(self, built: impl FnOnce(&Server) + Send + 'static) -> Self {
        self.on_core(move |core, _| built(&Server::of(core)))
    }
}

impl Context {
    /// Returns the server that the handler belongs to.
    #[must_use]
    pub fn server(&self) -> Server {
        Server::of(self.core())
    }
}

partial_debug!(Server, |it| info: it.core.info);

impl Server {
    /// Returns a snapshot of the server's gauges and counters.
    ///
    /// To serve it as text, see [`HttpConfig::metrics_path`](crate::HttpConfig::metrics_path).
    ///
    /// ```
    /// use mcp_server::{RefusalCause, Server};
    ///
    /// let server = Server::builder("demo", "1.0.0").build()?;
    /// let metrics = server.metrics();
    /// assert_eq!(metrics.requests, 0);
    /// assert_eq!(metrics.refusals.count(RefusalCause::Host), 0);
    /// println!("{}", metrics.to_open_metrics());
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        snapshot(&self.core)
    }
}

impl Server {
    /// Creates a builder for a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Returns the list of tools, which can be changed.
    #[must_use]
    pub fn tools(&self) -> ListHandle<'_, ToolDef> {
        ListHandle::new(&self.core, &self.catalogs.tools)
    }

    /// Returns the list of resources, which can be changed.
    #[must_use]
    pub fn resources(&self) -> ListHandle<'_, ResourceDef> {
        ListHandle::new(&self.core, &self.catalogs.resources.definitions.resources)
    }

    /// Returns the list of prompts, which can be changed.
    #[must_use]
    pub fn prompts(&self) -> ListHandle<'_, PromptDef> {
        ListHandle::new(&self.core, &self.catalogs.prompts)
    }

    /// Returns the list of resource templates, which can be changed.
    #[must_use]
    pub fn resource_templates(&self) -> ListHandle<'_, TemplateDef> {
        ListHandle::new(&self.core, &self.catalogs.resources.definitions.templates)
    }
}
