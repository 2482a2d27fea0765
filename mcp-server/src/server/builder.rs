//! [`ServerBuilder`]: the definition of a server.

use std::future::Future;
use std::sync::Arc;

use mcp_types::revision::Versioned;
use mcp_types::{Icon, Implementation, Notification, Proposal, Request, ServerCapabilities};

#[cfg(feature = "seal")]
use crate::features::asking;
#[cfg(feature = "https-url")]
use crate::proposals::https_url::config::HttpUrls;
use crate::protocol::changes::Bus;
use crate::protocol::core::Context;
use crate::protocol::error::{ErrorDetail, HandlerError};
use crate::protocol::limits::Limits;
use crate::protocol::registry::Registry;
#[cfg(feature = "seal")]
use crate::protocol::route;
#[cfg(feature = "seal")]
use crate::protocol::seal::Keys;
use crate::server::catalogs::Definitions;

/// Collects what a server offers; [`build`](Self::build) checks it.
#[must_use = "a definition does nothing until it is built"]
pub struct ServerBuilder {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) error_detail: ErrorDetail,
    pub(crate) bus: Option<Arc<dyn Bus>>,
    pub(crate) registry: Registry,
    pub(crate) definitions: Definitions,
    #[cfg(feature = "seal")]
    pub(crate) keys: Option<Keys>,
    #[cfg(feature = "https-url")]
    pub(crate) urls: Option<HttpUrls>,
}

impl ServerBuilder {
    pub(crate) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            limits: Limits::default(),
            error_detail: ErrorDetail::default(),
            bus: None,
            registry: Registry::default(),
            definitions: Definitions::default(),
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
        self.registry.capabilities = change(self.registry.capabilities);
        self
    }

    /// Speaks proposals, each behind the feature of its name, and announces them to peers of the
    /// newest revision in `capabilities.experimental`.
    ///
    /// What a proposal only adds, every such peer gets; what it takes away, only one that has
    /// [announced](Context::negotiated) it, too.
    pub fn proposals(mut self, proposals: impl IntoIterator<Item = Proposal>) -> Self {
        self.registry.proposals.extend(proposals);
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
        #[cfg(feature = "seal")]
        if asking::may_ask(R::METHOD) {
            let read = route::versioned;
            asking::serve_read::<_, R::Result, _>(&mut self.registry, R::METHOD, read, handler);
            return self;
        }
        self.registry.handle::<R, _>(handler);
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
        self.registry.listen::<N, _>(handler);
        self
    }
}
