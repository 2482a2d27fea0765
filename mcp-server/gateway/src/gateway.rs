//! [`Gateway`]: one server in front of many.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_server::types::json::Object;
use mcp_server::types::{
    PromptsCapability, ResourcesCapability, ServerCapabilities, ToolsCapability,
};
use mcp_server::{AnyNotification, AnyRequest, Context, Server, ServerBuilder};
use tokio::task::JoinSet;

use crate::error::GatewayError;
use crate::names::Names;
use crate::routing::requests;
use crate::routing::subscriptions::Following;
use crate::shared::{Behind, Sessions, Shared};
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
/// A clone is the same gateway. Connections to upstreams are closed when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Gateway {
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
        }
    }

    /// Returns the server, which can be served over any transport as long as the gateway exists.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Returns the state of each upstream, in the order in which they were added.
    #[must_use]
    pub fn status(&self) -> Vec<UpstreamStatus> {
        let upstreams = self.shared.upstreams.iter();
        upstreams.map(|behind| behind.pool.status()).collect()
    }
}

/// Configures a gateway.
#[must_use = "a gateway does nothing until it is built"]
pub struct GatewayBuilder {
    builder: ServerBuilder,
    identity: Identity,
    upstreams: Vec<Upstream>,
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
        let names = names(&self.upstreams)?;
        let server = Arc::<OnceLock<Server>>::default();
        let behind = self
            .upstreams
            .into_iter()
            .zip(names)
            .map(|(upstream, names)| {
                Behind::new(upstream, names, self.identity.clone(), Arc::clone(&server))
            });
        let upstreams: Vec<Behind> = behind.collect();
        let capabilities = probe(&upstreams).await;
        let instructions = instructions(&upstreams);
        let shared = Arc::new_cyclic(|_| Shared {
            upstreams,
            sessions: Sessions::default(),
            cleaner: OnceLock::new(),
        });
        let weak = Arc::downgrade(&shared);
        let (handling, notified) = (weak.clone(), weak.clone());
        let handle = move |request: AnyRequest, cx: Context| {
            let shared = handling.upgrade();
            async move {
                let closed = || mcp_server::HandlerError::internal("the gateway is closed");
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

/// Returns the prefixes. One upstream needs none.
fn names(upstreams: &[Upstream]) -> Result<Vec<Names>, GatewayError> {
    let has_several = upstreams.len() > 1;
    let names = upstreams.iter().map(|upstream| {
        let derived = || has_several.then(|| Names::prefix_of(&upstream.name));
        let prefix = upstream.prefix.clone().or_else(derived).unwrap_or_default();
        Names::new(&upstream.name, &prefix)
    });
    let names: Vec<Names> = names.collect::<Result<_, _>>()?;
    let mut known: HashMap<&str, &str> = HashMap::new();
    for (upstream, names) in upstreams.iter().zip(&names) {
        let prefix = names.prefix().unwrap_or_default();
        if let Some(first) = known.insert(prefix, &upstream.name) {
            return Err(GatewayError::SamePrefix {
                first: first.to_owned(),
                second: upstream.name.clone(),
                prefix: prefix.to_owned(),
            });
        }
    }
    if upstreams.is_empty() {
        return Err(GatewayError::NoUpstream);
    }
    Ok(names)
}

/// Connects to the upstreams, and returns what they can do together.
async fn probe(upstreams: &[Behind]) -> ServerCapabilities {
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
    let mut all = ServerCapabilities::new().logging(Object::new());
    for behind in upstreams {
        let known = behind.pool.capabilities();
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
    }
    all
}

/// Returns the instructions of all upstreams.
fn instructions(upstreams: &[Behind]) -> String {
    let texts = upstreams.iter().filter_map(|behind| {
        let text = behind.pool.instructions()?;
        Some(match behind.names.prefix() {
            Some(prefix) => format!("# {prefix}\n\n{text}"),
            None => text,
        })
    });
    texts.collect::<Vec<String>>().join("\n\n")
}
