//! [`ServerBuilder`]: the definition of a server.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::revision::Versioned;
use mcp_types::{
    CacheScope, Icon, Implementation, Notification, Proposal, Request, ServerCapabilities,
};

use crate::features::asking;
use crate::features::catalog::CacheHints;
#[cfg(feature = "proposals")]
use crate::proposals::https_url::config::HttpUrls;
use crate::protocol::core::Layer;
use crate::protocol::dispatch::extension::{OnBuilt, ServerExtension};
use crate::protocol::dispatch::middleware;
use crate::protocol::dispatch::middleware::Middleware;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::handler_error::{ErrorConversions, HandlerError};
use crate::protocol::error::{BuildError, ErrorDetail};
use crate::protocol::handler::params::{
    AnyNotification, AnyRequest, AnyResult, NotificationParams, Params,
};
use crate::protocol::handler::{Handler, IntoResult};
use crate::protocol::limits::Limits;
use crate::protocol::seal::Keys;
#[cfg(feature = "http")]
use crate::protocol::store::EventStore;
use crate::protocol::store::access::StoreSettings;
use crate::protocol::store::{Bus, Store, ValueStore};
use crate::server::catalogs::Definitions;
use crate::server::definitions::definition_methods;
use crate::util::type_map::TypeMap;

/// Collects the definitions and settings of a server. [`build`](Self::build) checks them.
#[must_use = "a definition does nothing until it is built"]
pub struct ServerBuilder {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) error_detail: ErrorDetail,
    pub(crate) lists_permitted_only: bool,
    pub(crate) stores: StoreSettings,
    pub(crate) states: TypeMap,
    pub(crate) layers: Vec<Box<dyn Layer>>,
    /// The layer that accepts tasks, behind all of `layers`.
    pub(crate) task_layers: Vec<Box<dyn Layer>>,
    /// The layers around the handlers, in tasks, too.
    pub(crate) inner_layers: Vec<Box<dyn Layer>>,
    /// Called when the server is built.
    pub(crate) built: Vec<OnBuilt>,
    pub(crate) errors: ErrorConversions,
    pub(crate) registry: Registry,
    pub(crate) definitions: Definitions,
    pub(crate) keys: Option<Keys>,
    #[cfg(feature = "proposals")]
    pub(crate) urls: Option<HttpUrls>,
}

impl ServerBuilder {
    pub(crate) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            limits: Limits::default(),
            error_detail: ErrorDetail::default(),
            lists_permitted_only: false,
            stores: StoreSettings::default(),
            states: TypeMap::default(),
            layers: Vec::new(),
            task_layers: Vec::new(),
            inner_layers: Vec::new(),
            built: Vec::new(),
            errors: ErrorConversions::default(),
            registry: Registry::default(),
            definitions: Definitions::default(),
            keys: None,
            #[cfg(feature = "proposals")]
            urls: None,
        }
    }

    /// Changes what the server says of itself, such as its name in place of that of
    /// [`Server::builder`](crate::Server::builder): for gateways that present another server.
    pub fn info(mut self, change: impl FnOnce(Implementation) -> Implementation) -> Self {
        self.info = change(self.info);
        self
    }

    /// Sets a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info = self.info.title(title);
        self
    }

    /// Sets a description of what the server is for, in one sentence.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info = self.info.description(description);
        self
    }

    /// Sets the URL of a page with more information.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info = self.info.website_url(url);
        self
    }

    /// Adds an icon for the server. Its media type and sizes are checked by `build`.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.get_or_insert_default().push(icon);
        self
    }

    /// Sets instructions for the model on how to use the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets the limits, instead of the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how much of a handler's unexpected error is sent to the peer:
    /// [`ErrorDetail::Message`] unless set here.
    ///
    /// ```
    /// use mcp_server::{ErrorDetail, HandlerError, Server};
    ///
    /// // If this fails, the model reads "the tool failed"; the log has the error and its causes.
    /// async fn count() -> Result<usize, HandlerError> {
    ///     Ok(std::fs::read_dir("notes")?.count())
    /// }
    ///
    /// let server = Server::builder("notes", "1.0.0")
    ///     .error_detail(ErrorDetail::Hidden)
    ///     .tool("count", "Counts the notes", count)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn error_detail(mut self, detail: ErrorDetail) -> Self {
        self.error_detail = detail;
        self
    }

    /// Lists only the tools, prompts and resources whose [scopes](crate::ToolDef::scopes) the
    /// access token of the caller has, on every transport. By default all are listed, so that a
    /// model can choose them and the client can ask the user for more scopes. A request for one that
    /// is not listed is answered in the same way as without this.
    pub fn list_permitted_only(mut self) -> Self {
        self.lists_permitted_only = true;
        self
    }

    /// Sets what the processes that serve one endpoint share: sessions and events of older clients,
    /// changes that clients subscribe to, and the values of handlers. Without it, everything is in
    /// the memory of this process.
    ///
    /// ```
    /// use mcp_server::{Keys, Memory, Server};
    ///
    /// let (store, keys) = (Memory::new(), Keys::generate()?);
    /// let server = || {
    ///     let builder = Server::builder("calculator", "1.0.0");
    ///     builder.store(store.clone()).keys(keys.clone()).build()
    /// };
    /// let (one, two) = (server()?, server()?);
    /// # drop((one, two));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn store(mut self, store: impl Store) -> Self {
        let store = Arc::new(store);
        self.stores = StoreSettings {
            values: Some(store.clone()),
            #[cfg(feature = "http")]
            events: Some(store.clone()),
            bus: Some(store),
        };
        self
    }

    /// Sets the store of values alone: sessions of older clients, revoked URLs, proofs that were
    /// used, and the values of handlers.
    pub fn value_store(mut self, store: Arc<dyn ValueStore>) -> Self {
        self.stores.values = Some(store);
        self
    }

    /// Sets the store of events alone, from which older clients resume their streams.
    #[cfg(feature = "http")]
    pub fn event_store(mut self, store: Arc<dyn EventStore>) -> Self {
        self.stores.events = Some(store);
        self
    }

    /// Sets the bus alone, which connects the processes that serve one endpoint.
    pub fn bus(mut self, bus: Arc<dyn Bus>) -> Self {
        self.stores.bus = Some(bus);
        self
    }

    /// Sets the keys that request state and cursors are sealed with. Without this call they are
    /// random. Processes that serve one endpoint need the same keys.
    pub fn keys(mut self, keys: crate::Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Issues URLs for resources. The program also has to opt into [`Proposal::HttpsUrl`].
    #[cfg(feature = "proposals")]
    pub fn http_urls(mut self, urls: crate::HttpUrls) -> Self {
        self.urls = Some(urls);
        self
    }

    /// Changes the capabilities that the server declares, in addition to those that follow from its
    /// definitions.
    pub fn capabilities(
        mut self,
        change: impl FnOnce(ServerCapabilities) -> ServerCapabilities,
    ) -> Self {
        self.registry.about.capabilities = change(self.registry.about.capabilities);
        self
    }

    /// Opts into proposals of the Cargo feature `proposals`, and declares them to clients of the
    /// newest revision in `capabilities.experimental`.
    ///
    /// Every such client gets what a proposal adds. What it removes or replaces, only clients that
    /// have [declared](crate::Context::negotiated) it too.
    pub fn proposals(mut self, proposals: impl IntoIterator<Item = Proposal>) -> Self {
        self.registry.about.proposals.extend(proposals);
        self
    }

    /// Also serves clients of the draft, as the specification's repository publishes it before the
    /// next revision. Without this, the server rejects such clients.
    ///
    /// Unstable: any release of this crate may follow a newer draft, and drop the older one.
    #[cfg(feature = "draft")]
    pub fn draft(mut self) -> Self {
        self.registry.about.revisions = mcp_types::Revision::WITH_DRAFT;
        self
    }

    /// Shares a value with all handlers, which extract it with [`State<T>`](crate::State). A server
    /// can have one value of each type.
    pub fn state<T: Clone + Send + Sync + 'static>(mut self, state: T) -> Self {
        let added = self.states.add_state(state);
        self.registry.check(added);
        self
    }

    /// Converts errors of one type, which handlers return with `?`, into errors with a chosen code,
    /// text and log entry.
    ///
    /// Without a conversion, an error is a result with `isError` in a tool and -32603 elsewhere,
    /// see [`HandlerError`].
    ///
    /// ```
    /// use mcp_server::{HandlerError, Server};
    ///
    /// #[derive(Debug, thiserror::Error)]
    /// enum NoteError {
    ///     #[error("no note has the id {0}")]
    ///     NotFound(u64),
    ///     #[error("the database failed")]
    ///     Database(#[from] std::io::Error),
    /// }
    ///
    /// fn convert(error: NoteError) -> HandlerError {
    ///     match error {
    ///         NoteError::NotFound(_) => HandlerError::invalid_params(error.to_string()),
    ///         NoteError::Database(source) => {
    ///             HandlerError::tool("try again later").logged_as(format!("database: {source}"))
    ///         }
    ///     }
    /// }
    ///
    /// async fn newest() -> Result<String, NoteError> {
    ///     Err(NoteError::NotFound(1))
    /// }
    ///
    /// let server = Server::builder("notes", "1.0.0")
    ///     .map_error(convert)
    ///     .tool("newest", "Returns the newest note", newest)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn map_error<E: std::error::Error + Send + Sync + 'static>(
        mut self,
        convert: impl Fn(E) -> HandlerError + Send + Sync + 'static,
    ) -> Self {
        let added = self.errors.add(convert);
        self.registry.check(added);
        self
    }

    /// Splits lists into pages of this many items. Without this call, a list has one page.
    pub fn page_size(mut self, items: usize) -> Self {
        self.definitions.page_size = std::num::NonZeroUsize::new(items);
        if self.definitions.page_size.is_none() {
            self.registry.errors.push(BuildError::Invalid {
                kind: "setting",
                name: "page_size".to_owned(),
                reason: "zero, so pages would be empty".to_owned(),
            });
        }
        self
    }

    /// Sets whether tools ignore (`true`) or reject arguments that they do not have. Some models
    /// pass arguments to every tool. A tool can have [a setting of its
    /// own](crate::ToolDef::ignore_extra_arguments). The schemas say the same.
    ///
    /// Without a setting, tools without arguments reject all, and tools with arguments follow their
    /// type: it ignores them, unless it has `#[serde(deny_unknown_fields)]`. Such a type, and a
    /// schema that says itself which other properties it permits (`additionalProperties`) or that
    /// consists of several (`oneOf`), are not affected by the setting.
    pub fn ignore_extra_arguments(mut self, ignore: bool) -> Self {
        self.definitions.tools.ignores_extra_arguments = Some(ignore);
        self
    }

    /// Sets for how long, and for whom, caches may keep the list of tools: not at all by default.
    /// [`CacheScope::Public`] is right if the list is the same for everyone.
    pub fn cache_tools(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.definitions.tools.hints = CacheHints::new(ttl, scope);
        self
    }

    /// Sets for how long, and for whom, caches may keep the lists of resources and of resource
    /// templates. Contents have [their own hints](crate::ResourceDef::cache).
    pub fn cache_resources(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.definitions.resources.hints = CacheHints::new(ttl, scope);
        self
    }

    /// Sets for how long, and for whom, caches may keep the list of prompts.
    pub fn cache_prompts(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.definitions.prompts.hints = CacheHints::new(ttl, scope);
        self
    }
}

definition_methods!(ServerBuilder);

impl ServerBuilder {
    /// Adds a [middleware] around all messages. The first one that is added is the outermost, next
    /// to the client: it sees what the client sends first, and what the server sends last.
    ///
    /// Every such middleware sees the call of a tool before it may become a [task](crate::guide::tasks),
    /// whether it is added before or after the extension `Tasks`: a call that it refuses is no task.
    /// The handler of a task runs without it, see [`inner_layer`](Self::inner_layer).
    pub fn layer(mut self, middleware: impl Middleware) -> Self {
        self.layers.push(middleware::erased(middleware));
        self
    }

    /// Adds a [middleware] next to the handlers, inside of all that [`layer`](Self::layer) and
    /// [`extension`](Self::extension) add. It also runs in a [task](crate::guide::tasks), each time
    /// when its handler starts, perhaps in another process: to attach a value for handlers, or to
    /// measure them. What it refuses there fails a task that the client has the id of.
    ///
    /// ```
    /// use mcp_server::middleware::{self, Next, Outcome, Request};
    /// use mcp_server::{Extension, Server};
    ///
    /// #[derive(Clone)]
    /// struct Region(&'static str);
    ///
    /// async fn attach(request: Request, next: Next) -> Outcome {
    ///     next.run(request.with_extension(Region("north"))).await
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .inner_layer(middleware::from_fn(attach))
    ///     .tool("where", "Names the region", async |Extension(Region(name))| name)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn inner_layer(mut self, middleware: impl Middleware) -> Self {
        self.inner_layers.push(middleware::erased(middleware));
        self
    }

    /// Adds an extension of the protocol: its settings, methods, notifications and middleware. Its
    /// middleware has the place of this call among the [layers](Self::layer); that of `Tasks` is
    /// behind all of them.
    ///
    /// `build` returns an error for an identifier, a method or a `_meta` key that occurs twice, and
    /// for methods and `_meta` keys that the protocol itself defines or reserves.
    pub fn extension(mut self, extension: impl Into<ServerExtension>) -> Self {
        let mut extension = extension.into();
        let layers = if extension.is_innermost {
            &mut self.task_layers
        } else {
            &mut self.layers
        };
        layers.append(&mut extension.layers);
        self.built.append(&mut extension.built);
        extension.register(&mut self.registry);
        self
    }
}

impl ServerBuilder {
    /// Handles a request of the protocol, or one of the application's own. The handler replaces the
    /// one of a feature: a program can handle `tools/list` itself and still add tools. The
    /// capability that the method belongs to is declared.
    ///
    /// The first parameter of the handler is [`Params<R>`](Params), the params of the newest
    /// revision that has the method. Messages of other revisions are converted. In `tools/call`,
    /// `prompts/get` and `resources/read`, the handler also gets a `requestState` that this server
    /// did not make, because the handler may have made it.
    ///
    /// ```
    /// use mcp_server::types::{CallToolOutcome, CallToolRequest, CallToolResult, TextContent};
    /// use mcp_server::{Params, Server};
    ///
    /// async fn call(Params(call): Params<CallToolRequest>) -> CallToolOutcome {
    ///     CallToolResult::new([TextContent::new(format!("This is {}.", call.name)).into()]).into()
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0").on(call).build()?;
    /// assert!(server.capabilities().tools.is_some());
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn on<R, M, H>(mut self, handler: H) -> Self
    where
        R: Request + 'static,
        R::Params: Versioned,
        R::Result: Versioned,
        H: Handler<Params<R>, M>,
        H::Output: IntoResult<R::Result> + 'static,
    {
        asking::on(&mut self.registry, handler);
        self
    }

    /// Handles a notification, of any revision or of the application's own. The first parameter of
    /// the handler is [`NotificationParams<N>`](NotificationParams). Its errors are only logged.
    ///
    /// Handlers do not get `notifications/cancelled`: it [cancels](crate::Context::cancelled) the
    /// request.
    pub fn on_notification<N, M, H>(mut self, handler: H) -> Self
    where
        N: Notification + 'static,
        H: Handler<NotificationParams<N>, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.registry.on_notification(handler);
        self
    }

    /// Handles all requests that have no handler of their own, as JSON: for gateways, and for
    /// programs that pass on what they do not know. With a fallback, a capability that the program
    /// declares with [`capabilities`](Self::capabilities) does not bring empty lists with it.
    ///
    /// ```
    /// use mcp_server::types::ToolsCapability;
    /// use mcp_server::{AnyRequest, AnyResult, Context, HandlerError, Server};
    ///
    /// async fn handle(request: AnyRequest, cx: Context) -> Result<AnyResult, HandlerError> {
    ///     println!("{} {}", cx.method(), request.params());
    ///     AnyResult::from_json(&serde_json::json!({ "tools": [] }))
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
    ///     .fallback(handle)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn fallback<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<AnyRequest, M>,
        H::Output: IntoResult<AnyResult> + 'static,
    {
        asking::fallback(&mut self.registry, handler);
        self
    }

    /// Handles all notifications that have no handler of their own. Errors of the handler are only
    /// logged.
    pub fn fallback_notification<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<AnyNotification, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.registry.fallback_notification(handler);
        self
    }
}
