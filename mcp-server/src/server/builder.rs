//! [`ServerBuilder`]: the definition of a server.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Weak};

use mcp_types::revision::Versioned;
use mcp_types::{
    Icon, Implementation, Notification, Proposal, Request, ServerCapabilities, json::Object,
};

use crate::features::catalog::Features;
use crate::features::{catalog, subscriptions};
use crate::protocol::changes::{Bus, BusReceiver, Hub};
use crate::protocol::context::{Context, Ended};
use crate::protocol::core::{Inner, Routed, Server};
use crate::protocol::error::{BuildError, HandlerError};
use crate::protocol::error_report::ErrorDetail;
use crate::protocol::lifecycle;
use crate::protocol::limits::Limits;
use crate::protocol::params_view::Head;
use crate::protocol::raw_object::FromMembers;
use crate::protocol::route;
use crate::protocol::route::{Listener, Methods, Route, Told, Typed};

/// Collects what a server offers; [`build`](Self::build) checks it.
#[must_use = "a definition does nothing until it is built"]
pub struct ServerBuilder {
    info: Implementation,
    instructions: Option<String>,
    limits: Limits,
    error_detail: ErrorDetail,
    capabilities: ServerCapabilities,
    proposals: BTreeSet<Proposal>,
    routes: Methods<Routed>,
    listeners: Methods<Box<dyn Listener>>,
    bus: Option<Arc<dyn Bus>>,
    pub(crate) features: Features,
    faults: Vec<BuildError>,
    #[cfg(feature = "seal")]
    keys: Option<crate::Keys>,
    #[cfg(feature = "https-url")]
    urls: Option<crate::HttpUrls>,
}

impl ServerBuilder {
    pub(crate) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            limits: Limits::default(),
            error_detail: ErrorDetail::default(),
            capabilities: ServerCapabilities::new().logging(Object::new()),
            proposals: BTreeSet::new(),
            routes: Methods::default(),
            listeners: Methods::default(),
            bus: None,
            features: Features::default(),
            faults: Vec::new(),
            #[cfg(feature = "seal")]
            keys: None,
            #[cfg(feature = "https-url")]
            urls: None,
        }
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info = self.info.title(title);
        self
    }

    /// One sentence on what the server is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info = self.info.description(description);
        self
    }

    /// Where people read more.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info = self.info.website_url(url);
        self
    }

    /// Adds an icon for the server.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.get_or_insert_default().push(icon);
        self
    }

    /// How a model is to use the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Other bounds than the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how much of a handler's unexpected error is sent to the peer:
    /// [`ErrorDetail::Message`] unless set here.
    ///
    /// ```
    /// use mcp_server::{Context, ErrorDetail, Server};
    ///
    /// let server = Server::builder("notes", "1.0.0")
    ///     .error_detail(ErrorDetail::Hidden)
    ///     .tool("count", "Counts the notes", |(), _: Context| async {
    ///         // The model reads "the tool failed"; the log has the error and its causes.
    ///         Ok(std::fs::read_dir("notes")?.count().to_string())
    ///     })
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn error_detail(mut self, detail: ErrorDetail) -> Self {
        self.error_detail = detail;
        self
    }

    /// What connects the processes that serve one endpoint.
    pub fn bus(mut self, bus: Arc<dyn Bus>) -> Self {
        self.bus = Some(bus);
        self
    }

    /// The keys that request state and cursors are sealed with; without this call random ones.
    /// Processes that serve one endpoint need the same.
    #[cfg(feature = "seal")]
    pub fn keys(mut self, keys: crate::Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Hands out URLs for resources, where the program opts into
    /// [`Proposal::HttpsUrl`] as well.
    #[cfg(feature = "https-url")]
    pub fn http_urls(mut self, urls: crate::HttpUrls) -> Self {
        self.urls = Some(urls);
        self
    }

    /// Changes what the server says that it can do, beyond what follows from what it offers.
    pub fn capabilities(
        mut self,
        change: impl FnOnce(ServerCapabilities) -> ServerCapabilities,
    ) -> Self {
        self.capabilities = change(self.capabilities);
        self
    }

    /// Speaks proposals, each behind the feature of its name, and announces them to peers of the
    /// newest revision in `capabilities.experimental`.
    ///
    /// What a proposal only adds, every such peer gets; what it takes away, only one that has
    /// [announced](Context::speaks) it, too.
    pub fn proposals(mut self, proposals: impl IntoIterator<Item = Proposal>) -> Self {
        self.proposals.extend(proposals);
        self
    }

    /// Handles a request of the method table, or one of the application's own.
    ///
    /// Params and result are those of the newest revision that has the method; peers of other
    /// revisions are translated for.
    pub fn on<R, F>(
        mut self,
        handler: impl Fn(R::Params, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        R: Request + 'static,
        R::Params: Versioned,
        R::Result: Versioned,
        F: Future<Output = Result<R::Result, HandlerError>> + Send + 'static,
    {
        self.handle::<R, _>(handler);
        self
    }

    /// Handles a notification, of any revision or of the application's own. `notifications/cancelled`
    /// is not handed out: it [ends](Context::cancelled) the request.
    pub fn on_notification<N, F>(
        mut self,
        handler: impl Fn(N::Params, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        N: Notification + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = Box::new(Told::<N, _>::new(handler));
        let added = self.listeners.add(N::METHOD, listener);
        self.faults.extend(added.err());
        self
    }

    /// Notes a fault, for [`build`](Self::build) to report.
    pub(crate) fn fault(&mut self, fault: BuildError) {
        self.faults.push(fault);
    }

    /// Whether there is a handler for a method.
    pub(crate) fn has_route(&self, method: &str) -> bool {
        self.routes.get(method).is_some()
    }

    pub(crate) fn capabilities_mut(&mut self) -> &mut ServerCapabilities {
        &mut self.capabilities
    }

    /// Whether the program opted into a proposal.
    #[cfg(feature = "_proposals")]
    pub(crate) fn offers(&self, proposal: Proposal) -> bool {
        self.proposals.contains(&proposal)
    }

    /// Adds a handler; a second one for a method is a fault.
    pub(crate) fn handle<R, F>(
        &mut self,
        handler: impl Fn(R::Params, Context) -> F + Send + Sync + 'static,
    ) where
        R: Request + 'static,
        R::Params: Versioned,
        R::Result: Versioned,
        F: Future<Output = Result<R::Result, HandlerError>> + Send + 'static,
    {
        let typed = Typed::<_, R::Result, _>::new(route::versioned, handler);
        self.route(R::METHOD, Box::new(typed));
    }

    /// Adds a handler that needs no more of the params than what all revisions have.
    pub(crate) fn serve<P, T, F>(
        &mut self,
        method: &'static str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) where
        P: FromMembers + 'static,
        T: Versioned + 'static,
        F: Future<Output = Result<T, HandlerError>> + Send + 'static,
    {
        self.serve_read(method, route::common, handler);
    }

    /// The same with params that are read in a way of their own.
    pub(crate) fn serve_read<P, T, F>(
        &mut self,
        method: &'static str,
        read: fn(&Head<'_>, &Context) -> Result<P, HandlerError>,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) where
        P: 'static,
        T: Versioned + 'static,
        F: Future<Output = Result<T, HandlerError>> + Send + 'static,
    {
        let typed = Typed::<P, T, _>::new(read, handler);
        self.route(method, Box::new(typed));
    }

    /// Adds a handler of another kind.
    pub(crate) fn route(&mut self, method: &'static str, route: Box<dyn Route>) {
        let routed = Routed::new(method, route);
        let added = self.routes.add(method, routed);
        self.faults.extend(added.err());
    }

    /// Checks the definition.
    ///
    /// # Errors
    ///
    /// The first fault, see [`BuildError`].
    pub fn build(mut self) -> Result<Server, BuildError> {
        #[cfg(feature = "https-url")]
        if !self.offers(Proposal::HttpsUrl) && self.urls.take().is_some() {
            tracing::warn!("no URLs are handed out: the program did not opt into the proposal");
        }
        lifecycle::routes(&mut self);
        subscriptions::routes(&mut self);
        catalog::routes(&mut self);
        for proposal in &self.proposals {
            proposal.announce(&mut self.capabilities.experimental);
        }
        if let Some(fault) = self.faults.into_iter().next() {
            return Err(fault);
        }
        let limits = self.limits.checked()?;
        let info_text =
            mcp_types::json::to_raw(&self.info).map_err(|error| BuildError::Invalid {
                kind: "server",
                name: self.info.name.clone(),
                reason: error.to_string(),
            })?;
        #[cfg(feature = "seal")]
        let random_keys = self.keys.is_none();
        #[cfg(feature = "seal")]
        if random_keys && self.bus.is_some() {
            tracing::warn!(
                "the bus connects processes, but this one has random keys: the others refuse its \
                 request state and cursors. Set `ServerBuilder::keys` to the same in all of them"
            );
        }
        #[cfg(feature = "https-url")]
        if self.bus.is_some() && self.urls.as_ref().is_some_and(|urls| !urls.has_keys()) {
            tracing::warn!(
                "the bus connects processes, but this one has random keys for URLs of resources: \
                 the others refuse its URLs. Set `HttpUrls::keys` to the same in all of them"
            );
        }
        #[cfg(feature = "seal")]
        let keys = match self.keys {
            Some(keys) => keys,
            None => crate::protocol::seal::Keys::generate().map_err(|error| {
                BuildError::Random(crate::protocol::error::Chain(&error).to_string())
            })?,
        };
        #[cfg(feature = "https-url")]
        let urls = self
            .urls
            .map(crate::proposals::https_url::issue::Urls::new)
            .transpose()
            .map_err(|error| {
                BuildError::Random(crate::protocol::error::Chain(&error).to_string())
            })?;
        let inner = Arc::new(Inner {
            info: self.info,
            info_text,
            instructions: self.instructions,
            capabilities: self.capabilities,
            proposals: self.proposals,
            peers: crate::protocol::quota::Peers::new(&limits),
            limits,
            error_detail: self.error_detail,
            routes: self.routes,
            listeners: self.listeners,
            features: self.features,
            hub: Hub::default(),
            bus: self.bus,
            stopping: Ended::default(),
            #[cfg(feature = "http")]
            counters: crate::protocol::metrics::counters::Counters::default(),
            #[cfg(feature = "seal")]
            keys: crate::protocol::seal::KeySlot::new(keys),
            #[cfg(all(feature = "http", feature = "seal"))]
            random_keys,
            #[cfg(feature = "https-url")]
            urls: urls.map(Arc::new),
        });
        if let Some(bus) = &inner.bus {
            let receiver: Weak<dyn BusReceiver> = Arc::<Inner>::downgrade(&inner);
            bus.attach(receiver);
        }
        Ok(Server { inner })
    }
}
