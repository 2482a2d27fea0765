//! [`Gateway`]: one server in front of many.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_server::types::json::Object;
use mcp_server::types::{
    JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities, ToolsCapability,
};
use mcp_server::{AnyNotification, AnyRequest, Context, HandlerError, Server, ServerBuilder};
use tokio::task::JoinSet;

use crate::error::GatewayError;
use crate::names::Names;
use crate::routing::requests;
use crate::routing::subscriptions::Following;
use crate::routing::tasks::{self, TASKS};
use crate::shared::{Behind, Shared};
use crate::upstream::connection::Identity;
use crate::upstream::{Upstream, UpstreamStatus};

/// How often connections are looked at that may be closed.
const CLEANING: Duration = Duration::from_secs(5);

/// A server that presents the tools, prompts and resources of other servers as its own.
///
/// ```no_run
/// use mcp_client::{ChildProcess, Http};
/// use mcp_gateway::{Gateway, Upstream};
/// use mcp_server::Stdio;
///
/// #[tokio::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let gateway = Gateway::builder("gateway", "1.0.0")
///         .upstream(Upstream::connecting("memory", || {
///             ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-memory"])
///         }))
///         .upstream(Upstream::connecting("docs", || Http::new("https://example.com/mcp")))
///         .build()
///         .await?;
///     gateway.server().serve(Stdio::new()).await?;
///     Ok(())
/// }
/// ```
///
/// A clone is the same gateway. Connections to upstreams are closed when the last clone is dropped,
/// although clients may still use the [server](Self::server): keep the gateway for as long as its
/// server is served. Afterwards the server answers all requests for upstreams with the error "the
/// gateway is closed", and logs why.
///
/// # Users
///
/// Each session of a client has connections of its own to the upstreams, and so have the requests
/// of each [`Principal`](mcp_server::Principal) outside of sessions. Clients with neither share
/// connections, and with them what an upstream keeps for a session: to separate them, let them
/// authenticate.
#[derive(Clone, Debug)]
#[must_use = "the server of a gateway that was dropped answers with errors only"]
pub struct Gateway {
    identity: Identity,
    server: Server,
    shared: Arc<Shared>,
}

impl Gateway {
    /// Creates a builder. Clients and upstreams see the name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> GatewayBuilder {
        let identity = Identity {
            name: name.into(),
            version: version.into(),
        };
        GatewayBuilder {
            builder: Server::builder(&identity.name, &identity.version),
            identity,
            upstreams: Vec::new(),
            is_changing: false,
        }
    }

    /// Returns the server, which can be served over any transport. It does not keep the gateway: in
    /// `Gateway::builder(..).build().await?.server().clone()` the gateway is dropped at once.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Returns the state of each upstream, in the order in which they were added.
    #[must_use]
    pub fn status(&self) -> Vec<UpstreamStatus> {
        let upstreams = self.shared.upstreams();
        upstreams
            .iter()
            .map(|behind| behind.pool.status())
            .collect()
    }

    /// Adds an upstream, or replaces the one of the same name, whose connections are closed. Clients
    /// are notified that the lists have changed.
    ///
    /// The gateway should be [`changing`](GatewayBuilder::changing): the capabilities that clients
    /// know stay as they are.
    ///
    /// # Errors
    ///
    /// [`GatewayError`]: the prefix is invalid, or another upstream has it. Nothing has changed.
    pub async fn set_upstream(&self, upstream: Upstream) -> Result<(), GatewayError> {
        let names = Names::new(&upstream.name, &prefix(&upstream, true))?;
        let server = Arc::<OnceLock<Server>>::default();
        let _ = server.set(self.server.clone());
        let identity = self.identity.clone();
        let added = Arc::new(Behind::new(upstream, names, identity, server));
        probe(std::slice::from_ref(&added)).await;
        self.shared.replace(|mut upstreams| {
            let name = &added.pool.upstream.name;
            let at = upstreams
                .iter()
                .position(|known| known.pool.upstream.name == *name);
            match at.and_then(|at| upstreams.get_mut(at)) {
                Some(known) => *known = Arc::clone(&added),
                None => upstreams.push(Arc::clone(&added)),
            }
            let all = upstreams.iter();
            distinct(all.map(|known| (&*known.pool.upstream.name, &known.names)))?;
            Ok::<_, GatewayError>(upstreams)
        })?;
        self.announce_all();
        Ok(())
    }

    /// Removes an upstream, whose connections are closed. Returns `false` if no upstream has this
    /// name.
    #[must_use = "`false` means that nothing was removed"]
    pub fn remove_upstream(&self, name: &str) -> bool {
        let mut is_removed = false;
        let removed = self.shared.replace(|mut upstreams| {
            let before = upstreams.len();
            upstreams.retain(|known| known.pool.upstream.name != name);
            is_removed = upstreams.len() < before;
            Ok::<_, std::convert::Infallible>(upstreams)
        });
        // It cannot fail.
        let Ok(()) = removed;
        if is_removed {
            self.announce_all();
        }
        is_removed
    }

    fn announce_all(&self) {
        self.server.tools_changed();
        self.server.prompts_changed();
        self.server.resources_changed();
    }
}

/// Configures a gateway.
#[must_use = "a gateway does nothing until it is built"]
pub struct GatewayBuilder {
    builder: ServerBuilder,
    identity: Identity,
    upstreams: Vec<Upstream>,
    is_changing: bool,
}

impl GatewayBuilder {
    /// Adds a server. With several of them, names and URIs get prefixes.
    pub fn upstream(mut self, upstream: Upstream) -> Self {
        self.upstreams.push(upstream);
        self
    }

    /// Changes the server that clients see: its limits, stores, keys, middleware, icons.
    pub fn configure(mut self, change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        self.builder = change(self.builder);
        self
    }

    /// States that upstreams are added or removed later, with [`Gateway::set_upstream`]. The gateway
    /// then declares all capabilities, gives each upstream a prefix, and needs no upstream at first.
    pub fn changing(mut self) -> Self {
        self.is_changing = true;
        self
    }

    /// Connects to the upstreams that are not lazy, and builds the gateway. An upstream that cannot
    /// be reached is only a warning in the log: it is tried again when it is needed.
    ///
    /// # Errors
    ///
    /// [`GatewayError`]: the definition is invalid.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time and I/O enabled.
    pub async fn build(self) -> Result<Gateway, GatewayError> {
        let names = names(&self.upstreams, self.is_changing)?;
        let server = Arc::<OnceLock<Server>>::default();
        let behind = self.upstreams.into_iter().zip(names);
        let upstreams: Vec<Arc<Behind>> = behind
            .map(|(upstream, names)| {
                let (identity, server) = (self.identity.clone(), Arc::clone(&server));
                Arc::new(Behind::new(upstream, names, identity, server))
            })
            .collect();
        probe(&upstreams).await;
        let capabilities = capabilities(&upstreams, self.is_changing);
        let instructions = instructions(&upstreams);
        let shared = Arc::new(Shared::new(upstreams));
        let weak = Arc::downgrade(&shared);
        let (handling, notified) = (weak.clone(), weak.clone());
        let handle = move |request: AnyRequest, cx: Context| {
            let shared = handling.upgrade();
            async move {
                let closed = || {
                    tracing::warn!("the `Gateway` was dropped, but its server is still used");
                    HandlerError::internal("the gateway is closed")
                };
                requests::handle(shared.ok_or_else(closed)?, request, cx).await
            }
        };
        let notify = move |notification: AnyNotification, cx: Context| {
            let shared = notified.upgrade();
            async move {
                if let Some(shared) = shared {
                    requests::notify(shared, notification, cx).await;
                }
            }
        };
        let mut builder = self
            .builder
            .capabilities(|_| capabilities)
            .layer(Following(weak.clone()))
            .fallback(handle)
            .fallback_notification(notify);
        if !instructions.is_empty() {
            builder = builder.instructions(instructions);
        }
        let built = builder.build()?;
        let _ = server.set(built.clone());
        let cleaning = async move {
            loop {
                tokio::time::sleep(CLEANING).await;
                let Some(shared) = weak.upgrade() else {
                    return;
                };
                shared.clean();
            }
        };
        let _ = shared.cleaner.set(tokio::spawn(cleaning).abort_handle());
        Ok(Gateway {
            identity: self.identity,
            server: built,
            shared,
        })
    }
}

impl std::fmt::Debug for GatewayBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayBuilder")
            .field("identity", &self.identity)
            .field("upstreams", &self.upstreams)
            .finish_non_exhaustive()
    }
}

/// Returns the prefix of an upstream: its own, or else one that is derived from its name if it has
/// to have one.
fn prefix(upstream: &Upstream, is_needed: bool) -> String {
    // A name without any letter is reported as an invalid prefix.
    let derived = || {
        let derived = Names::prefix_of(&upstream.name);
        is_needed.then(|| {
            Some(derived)
                .filter(|it| !it.is_empty())
                .unwrap_or(upstream.name.clone())
        })
    };
    upstream.prefix.clone().or_else(derived).unwrap_or_default()
}

/// Returns the names of all upstreams. One upstream needs no prefix.
fn names(upstreams: &[Upstream], is_changing: bool) -> Result<Vec<Names>, GatewayError> {
    if upstreams.is_empty() && !is_changing {
        return Err(GatewayError::NoUpstream);
    }
    let is_needed = upstreams.len() > 1 || is_changing;
    let names = upstreams
        .iter()
        .map(|upstream| Names::new(&upstream.name, &prefix(upstream, is_needed)));
    let names: Vec<Names> = names.collect::<Result<_, _>>()?;
    distinct(upstreams.iter().map(|upstream| &*upstream.name).zip(&names))?;
    Ok(names)
}

/// Checks that no two upstreams have the same prefix.
fn distinct<'a>(names: impl Iterator<Item = (&'a str, &'a Names)>) -> Result<(), GatewayError> {
    let mut known: HashMap<&str, &str> = HashMap::new();
    for (upstream, names) in names {
        let prefix = names.prefix().unwrap_or_default();
        if let Some(first) = known.insert(prefix, upstream) {
            return Err(GatewayError::SamePrefix {
                first: first.to_owned(),
                second: upstream.to_owned(),
                prefix: prefix.to_owned(),
            });
        }
    }
    Ok(())
}

/// Connects to the upstreams that are not lazy.
async fn probe(upstreams: &[Arc<Behind>]) {
    let mut tasks = JoinSet::new();
    for (at, behind) in upstreams.iter().enumerate() {
        if !behind.pool.upstream.is_lazy {
            let pool = Arc::clone(&behind.pool);
            tasks.spawn(async move { (at, pool.probe().await) });
        }
    }
    while let Some(probed) = tasks.join_next().await {
        if let Ok((at, Err(error))) = probed {
            let upstream = upstreams.get(at).map(|behind| &*behind.pool.upstream.name);
            tracing::warn!(upstream, %error, "an upstream cannot be reached yet");
        }
    }
}

/// Returns what the upstreams can do together. What is not known yet may be everything.
fn capabilities(upstreams: &[Arc<Behind>], is_changing: bool) -> ServerCapabilities {
    let mut all = ServerCapabilities::new().logging(Object::new());
    let known = upstreams.iter().map(|behind| behind.pool.capabilities());
    for known in known.chain(is_changing.then_some(None)) {
        let has = |has: fn(&ServerCapabilities) -> bool| known.as_ref().is_none_or(has);
        if has(|known| known.tools.is_some()) {
            all.tools = Some(ToolsCapability::new().list_changed(true));
        }
        if has(|known| known.prompts.is_some()) {
            all.prompts = Some(PromptsCapability::new().list_changed(true));
        }
        if has(|known| known.resources.is_some()) {
            let resources = ResourcesCapability::new().list_changed(true);
            all.resources = Some(resources.subscribe(true));
        }
        if has(|known| known.completions.is_some()) {
            all.completions = Some(Object::new());
        }
        if has(tasks::offers) {
            all.extensions = Some([(TASKS, JsonObject::default())].into_iter().collect());
        }
    }
    all
}

/// Returns the instructions of all upstreams.
fn instructions(upstreams: &[Arc<Behind>]) -> String {
    let texts = upstreams.iter().filter_map(|behind| {
        let text = behind.pool.instructions()?;
        Some(match behind.names.prefix() {
            Some(prefix) => format!("# {prefix}\n\n{text}"),
            None => text,
        })
    });
    texts.collect::<Vec<String>>().join("\n\n")
}
