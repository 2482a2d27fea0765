//! [`ClientBuilder`]: configures a client and assembles its connection.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, RwLock};

use mcp_types::error::DecodeError;
use mcp_types::json;
use mcp_types::revision::Versioned;
use mcp_types::{
    ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, DiscoverRequest,
    ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, Icon, Implementation,
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, Notification,
    Proposal, Request, Revision, Root,
};
use tokio::sync::{Semaphore, watch};

use super::handle::Client;
use crate::features::background::BackgroundRequests;
use crate::features::cache::{Cache, ClientCache};
use crate::features::extension::{self, ClientExtension};
use crate::features::inboxes::{Inboxes, WatchCounts};
use crate::features::notifications::{NotificationHandlers, notification_handler};
#[cfg(feature = "json-schema")]
use crate::features::output_schemas::OutputSchemas;
use crate::features::server_requests::ServerRequests;
use crate::features::server_requests::inputs::{Inputs, handler};
use crate::features::shared_connection::Deferred;
use crate::features::state::Features;
#[cfg(feature = "proposals")]
use crate::proposals::RESOURCES;
use crate::protocol::capabilities;
use crate::protocol::connection::connection_state::ConnectionState;
use crate::protocol::connection::{
    Connection, ConnectionId, Inbound, MessageSender, PendingRequests,
};
use crate::protocol::error::server_output::LastOutput;
use crate::protocol::error::{CallError, ConnectError, InputError};
use crate::protocol::limits::Limits;
use crate::protocol::middleware::{Layer, Layers};
use crate::protocol::negotiation::negotiate;
use crate::protocol::request_meta::RequestMeta;
use crate::protocol::transport::{OpenedTransport, Transport};
#[cfg(feature = "tls")]
use mcp_fetch::FetchPolicy;

#[cfg(not(feature = "proposals"))]
const RESOURCES: &[&dyn crate::features::proposals::ResourceProposals] = &[];

/// Configures a client until it is connected to a server. A clone can be connected to another one.
#[derive(Clone, Debug)]
#[must_use = "a client does nothing until it is connected"]
pub struct ClientBuilder {
    info: Implementation,
    capabilities: ClientCapabilities,
    proposals: BTreeSet<Proposal>,
    limits: Limits,
    inputs: Inputs,
    notifications: NotificationHandlers,
    pub(super) layers: Vec<Arc<dyn Layer>>,
    pub(super) extensions: Vec<ClientExtension>,
    pub(super) deferred: Option<Arc<dyn Deferred>>,
    log_level: Option<LoggingLevel>,
    cache: Option<Cache>,
    pinned: Option<Revision>,
    #[cfg(feature = "tls")]
    fetch_policy: FetchPolicy,
}

impl Client {
    /// Creates a builder for a client. Servers see its name and version.
    ///
    /// ```no_run
    /// # async fn connect(transport: impl mcp_client::Transport) -> Result<(), mcp_client::ConnectError> {
    /// use mcp_client::Client;
    ///
    /// let client = Client::builder("demo", "1.0.0").title("A demo").connect(transport).await?;
    /// # drop(client);
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            info: Implementation::new(name.into(), version.into()),
            capabilities: ClientCapabilities::new(),
            proposals: BTreeSet::new(),
            limits: Limits::default(),
            inputs: Inputs::default(),
            notifications: NotificationHandlers::default(),
            layers: Vec::new(),
            extensions: Vec::new(),
            deferred: None,
            log_level: None,
            cache: None,
            pinned: None,
            #[cfg(feature = "tls")]
            fetch_policy: FetchPolicy::new(),
        }
    }
}

impl ClientBuilder {
    /// Sets a display name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info = self.info.title(title);
        self
    }

    /// Sets a short description of the client.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info = self.info.description(description);
        self
    }

    /// Sets the URL of the website of the client.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info = self.info.website_url(url);
        self
    }

    /// Adds an icon for the client. Its media type and sizes are checked by `connect`.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.get_or_insert_default().push(icon);
        self
    }

    /// Sets the limits, instead of the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets which URLs that the server names are loaded, and how. The default is
    /// [`FetchPolicy::new`].
    #[cfg(feature = "tls")]
    pub fn fetch_policy(mut self, policy: FetchPolicy) -> Self {
        self.fetch_policy = policy;
        self
    }

    /// Caches results for as long as the server allows. Without this, nothing is cached.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Sets the handler that asks the user to fill in a form for a server, and declares the
    /// capability (page "Elicitation" of the specification).
    ///
    /// Accepted content is completed with the defaults of the form and validated against it before
    /// it is sent. Invalid content is a [`FormError`](crate::FormError), and the server receives an
    /// error or no answer. A declined form is answered without content.
    pub fn on_elicit_form<F>(
        mut self,
        ask: impl Fn(ElicitRequestFormParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ElicitResult, InputError>> + Send + 'static,
    {
        self.inputs.form = Some(handler(ask));
        let declared = self.capabilities.elicitation.get_or_insert_default();
        declared.form.get_or_insert_default();
        self
    }

    /// Sets the handler that shows the user a page for a server, and declares the capability (page
    /// "Elicitation", mode `url`). Accepting means that the user consents to open the page, not
    /// that the user has finished there.
    pub fn on_elicit_url<F>(
        mut self,
        ask: impl Fn(ElicitRequestUrlParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ElicitResult, InputError>> + Send + 'static,
    {
        self.inputs.url = Some(handler(ask));
        let declared = self.capabilities.elicitation.get_or_insert_default();
        declared.url.get_or_insert_default();
        self
    }

    /// Sets the handler that lets a model continue a conversation for a server, and declares the
    /// capability (page "Sampling"). Declare support for tools and context with
    /// [`capabilities`](Self::capabilities).
    pub fn on_sample<F>(
        mut self,
        ask: impl Fn(CreateMessageRequestParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, InputError>> + Send + 'static,
    {
        self.inputs.sample = Some(handler(ask));
        capabilities::declare(&mut self.capabilities, capabilities::SAMPLING);
        self
    }

    /// Sets the handler that returns the directories and files on which servers may work, and
    /// declares the capability (page "Roots"). Report changes with [`Client::roots_changed`].
    pub fn on_roots<F>(mut self, ask: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Vec<Root>, InputError>> + Send + 'static,
    {
        self.inputs.roots = Some(handler(move |()| ask()));
        capabilities::declare(&mut self.capabilities, capabilities::ROOTS);
        self
    }

    /// Sets the handler of a notification of the server, of any revision or defined by the
    /// application. The handler must not block: nothing else is read meanwhile. Servers without
    /// sessions report changes only to a [subscription](Client::listen).
    pub fn on_notification<N>(mut self, handler: impl Fn(N::Params) + Send + Sync + 'static) -> Self
    where
        N: Notification,
        N::Params: Versioned,
    {
        let handler = notification_handler::<N>(handler);
        self.notifications.add(N::METHOD, handler);
        self
    }

    /// Sets the handler of log messages of the server, from `level` on (page "Logging"). The
    /// handler must not block.
    pub fn on_log(
        mut self,
        level: LoggingLevel,
        handler: impl Fn(LoggingMessageNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.log_level = Some(level);
        self.on_notification::<LoggingMessageNotification>(handler)
    }

    /// Changes the declared capabilities, beyond those that follow from the handlers.
    pub fn capabilities(
        mut self,
        change: impl FnOnce(ClientCapabilities) -> ClientCapabilities,
    ) -> Self {
        self.capabilities = change(self.capabilities);
        self
    }

    /// Enables proposals of the Cargo feature `proposals`, and announces them to servers of the
    /// revisions that they [extend](Proposal::extends) in `capabilities.experimental`.
    /// [`Client::negotiated`] returns whether the server announced one, too.
    pub fn proposals(mut self, proposals: impl IntoIterator<Item = Proposal>) -> Self {
        self.proposals.extend(proposals);
        self
    }

    /// Accepts only this revision, instead of negotiating one. Connecting to a server that does not
    /// support it is a [`ConnectError`].
    ///
    /// This is the only way to use the draft of the next revision, which needs the Cargo feature
    /// `draft`.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.pinned = Some(revision);
        self
    }

    /// Connects to a server, and agrees with it on a revision, as the pages "Versioning" and those
    /// on the transports of the specification describe.
    ///
    /// # Errors
    ///
    /// * [`ConnectError::Transport`]: the server cannot be reached.
    /// * [`ConnectError::Revision`]: there is no common revision.
    /// * [`ConnectError::Icon`], [`ConnectError::Extension`]: an icon or extension of the client is
    ///   invalid. Nothing was sent.
    /// * [`ConnectError::Call`]: the connection ended, or the server answered neither
    ///   `server/discover` nor the handshake of older revisions.
    ///
    /// The connection is closed then.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled, and with I/O enabled for all but streams in
    /// memory.
    pub async fn connect(mut self, transport: impl Transport) -> Result<Client, ConnectError> {
        for icon in self.info.icons.iter().flatten() {
            icon.check()?;
        }
        extension::install(
            std::mem::take(&mut self.extensions),
            &mut self.capabilities,
            &mut self.inputs,
            &mut self.notifications,
        )?;
        let OpenedTransport { sender, driver } = transport.open(&self.limits)?;
        #[cfg(feature = "tls")]
        let fetch_policy = self.fetch_policy.clone();
        let deferred = self.deferred.clone();
        let (connection, features) = self.assemble(sender)?;
        let client = Client::start(
            Arc::clone(&connection),
            features,
            driver,
            deferred,
            #[cfg(feature = "tls")]
            fetch_policy,
        );
        // Boxed to keep the future small.
        if let Err(error) = Box::pin(negotiate(&connection)).await {
            client.close().await;
            return Err(error);
        }
        Ok(client)
    }

    /// Creates the state of a connection and of the features on it.
    fn assemble(
        mut self,
        sender: Arc<dyn MessageSender>,
    ) -> Result<(Arc<Connection>, Arc<Features>), ConnectError> {
        for proposal in &self.proposals {
            proposal.announce(&mut self.capabilities.experimental);
        }
        let pinned = self.pinned;
        let revisions = match pinned {
            Some(pinned) => vec![pinned],
            None => Revision::modern().collect(),
        };
        let request_meta = RequestMeta::new(
            revisions
                .into_iter()
                .filter(|revision| revision.is_modern()),
            &self.info,
            &self.capabilities,
            self.log_level,
        )
        .map_err(|source| CallError::Params {
            method: DiscoverRequest::METHOD.into(),
            source,
        })?;
        let capabilities = json::to_string(&self.capabilities).map_err(DecodeError::from)?;
        let revalidation = RESOURCES
            .iter()
            .find_map(|proposal| proposal.revalidation());
        let cache = self.cache;
        let permits = self.limits.server_requests.min(Semaphore::MAX_PERMITS);
        let has_roots = self.inputs.roots.is_some();
        let layers = Layers::new(self.layers);
        let server_requests = ServerRequests::new(
            self.inputs,
            layers.clone(),
            Arc::clone(&sender),
            &self.limits,
        );
        let features = Arc::new(Features {
            cache: cache.map(|cache| ClientCache::new(cache, &capabilities, revalidation)),
            #[cfg(feature = "json-schema")]
            output_schemas: OutputSchemas::default(),
            notifications: self.notifications,
            server_requests: Arc::new(server_requests),
            input_permits: Arc::new(Semaphore::new(permits)),
            inboxes: Inboxes::default(),
            watched: WatchCounts::default(),
            proposals: RESOURCES,
            background: BackgroundRequests::default(),
        });
        let inbound: Arc<dyn Inbound> = features.clone();
        let connection = Arc::new(Connection {
            id: ConnectionId::next(),
            info: self.info,
            capabilities: self.capabilities,
            proposals: self.proposals,
            has_roots,
            request_meta,
            limits: self.limits,
            layers,
            pending: Arc::<PendingRequests>::default(),
            sender,
            inbound,
            log_level: self.log_level,
            negotiations: watch::Sender::new(0),
            negotiated: RwLock::default(),
            pinned: self.pinned,
            state: ConnectionState::new(),
            last_output: LastOutput::default(),
        });
        Ok((connection, features))
    }
}
