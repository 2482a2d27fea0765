//! [`Gateway`]: one server in front of many.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_server::types::ServerCapabilities;
use mcp_server::{AnyNotification, AnyRequest, Context, HandlerError, Server, ServerBuilder};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::describe::{capabilities, info, instructions};
use crate::error::GatewayError;
use crate::fault::{OnReport, UpstreamFault, UpstreamReport};
use crate::names::{Names, distinct, names, prefix, remove_invalid};
use crate::routing::requests;
use crate::routing::subscriptions::Following;
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
    learning_time: Option<Duration>,
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
            is_lenient: false,
            learning_time: None,
            on_report: None,
        }
    }

    /// Returns the server, which can be served over any transport. It does not keep the gateway: in
    /// `Gateway::builder(..).build().await?.server().clone()` the gateway is dropped at once.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Returns the state of each upstream, in the order in which they were added, and of the servers
    /// that are [left out](Self::leave_out).
    #[must_use]
    pub fn status(&self) -> Vec<UpstreamStatus> {
        let upstreams = self.shared.upstreams();
        let upstreams = upstreams.iter().map(|behind| behind.pool.status());
        let left_out = self.shared.left_out();
        let left_out = left_out.iter().map(|(name, fault)| UpstreamStatus {
            name: name.clone(),
            revision: None,
            connections: 0,
            is_failing: true,
            fault: Some(fault.clone()),
        });
        upstreams.chain(left_out).collect()
    }

    /// Notes that a server cannot be an upstream, for example because its entry in a file is invalid.
    /// The [status](Self::status) has it with the reason until it is set or removed. An upstream of
    /// this name stays as it is.
    pub fn leave_out(&self, name: impl Into<String>, reason: impl Into<String>) {
        let (name, fault) = (name.into(), UpstreamFault::Unusable(reason.into()));
        if let Some(on_report) = &self.shared.on_report {
            on_report(&UpstreamReport::Failed {
                upstream: &name,
                fault: &fault,
                error: None,
            });
        }
        let upstreams = self.shared.upstreams();
        let is_known = upstreams
            .iter()
            .any(|known| known.pool.upstream.name == name);
        if !is_known {
            self.shared.left_out().insert(name, fault);
        }
    }

    /// Adds an upstream, or replaces the one of the same name, whose connections are closed. Clients
    /// are notified that the lists have changed. Those that connect later get the instructions of the
    /// upstreams that there are then.
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
        let on_report = self.shared.on_report.clone();
        let added = Arc::new(Behind::new(upstream, names, identity, server, on_report));
        reach(std::slice::from_ref(&added), self.learning_time).await;
        let mut changed = vec![Arc::clone(&added)];
        self.shared.replace(|mut upstreams| {
            let name = &added.pool.upstream.name;
            let at = upstreams
                .iter()
                .position(|known| known.pool.upstream.name == *name);
            match at.and_then(|at| upstreams.get_mut(at)) {
                Some(known) => changed.push(std::mem::replace(known, Arc::clone(&added))),
                None => upstreams.push(Arc::clone(&added)),
            }
            let all = upstreams.iter();
            distinct(all.map(|known| (&*known.pool.upstream.name, &known.names)))?;
            Ok::<_, GatewayError>(upstreams)
        })?;
        self.shared.left_out().remove(&added.pool.upstream.name);
        self.describe();
        self.announce(&changed);
        Ok(())
    }

    /// Removes an upstream, whose connections are closed. Returns `false` if no upstream has this
    /// name. A server that was left out is forgotten.
    #[must_use = "`false` means that nothing was removed"]
    pub fn remove_upstream(&self, name: &str) -> bool {
        let mut removed = Vec::new();
        let replaced = self.shared.replace(|mut upstreams| {
            let is_removed = |known: &mut Arc<Behind>| known.pool.upstream.name == name;
            removed.extend(upstreams.extract_if(.., is_removed));
            Ok::<_, std::convert::Infallible>(upstreams)
        });
        // It cannot fail.
        let Ok(()) = replaced;
        self.shared.left_out().remove(name);
        self.describe();
        self.announce(&removed);
        !removed.is_empty()
    }

    /// Sets the instructions for clients that connect from now on.
    fn describe(&self) {
        let instructions = instructions(&self.shared.upstreams());
        let instructions = Some(instructions).filter(|text| !text.is_empty());
        self.server.set_instructions(instructions);
    }

    /// Removes all upstreams, and waits until their connections are closed and their programs have
    /// exited, as [`Client::close`](mcp_client::Client::close) describes. Nothing is connected
    /// afterwards. Programs that are still starting are killed. Serve no clients any more when you
    /// call it.
    pub async fn close(&self) {
        let mut removed = Vec::new();
        let replaced = self.shared.replace(|upstreams| {
            removed = upstreams;
            Ok::<_, std::convert::Infallible>(Vec::new())
        });
        // It cannot fail.
        let Ok(()) = replaced;
        let closing = removed.iter().map(|behind| Arc::clone(&behind.pool));
        let closing: JoinSet<()> = closing
            .map(|pool| async move { pool.close().await })
            .collect();
        closing.join_all().await;
    }

    /// Announces that the lists have changed in which upstreams may have something.
    fn announce(&self, upstreams: &[Arc<Behind>]) {
        let known = upstreams.iter().map(|behind| behind.pool.capabilities());
        let known: Vec<Option<ServerCapabilities>> = known.collect();
        let may = |has: fn(&ServerCapabilities) -> bool| {
            known.iter().any(|known| known.as_ref().is_none_or(has))
        };
        if may(|known| known.tools.is_some()) {
            self.server.tools_changed();
        }
        if may(|known| known.prompts.is_some()) {
            self.server.prompts_changed();
        }
        if may(|known| known.resources.is_some()) {
            self.server.resources_changed();
        }
    }
}

/// Configures a gateway.
#[must_use = "a gateway does nothing until it is built"]
pub struct GatewayBuilder {
    builder: ServerBuilder,
    identity: Identity,
    upstreams: Vec<Upstream>,
    is_changing: bool,
    is_lenient: bool,
    learning_time: Option<Duration>,
    on_report: Option<OnReport>,
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

    /// Leaves an upstream out whose prefix is invalid, or that of an earlier one, as
    /// [`Gateway::leave_out`] does, instead of failing.
    pub fn leave_out_invalid(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Connects to all upstreams when the gateway is built, or when they are added, also to lazy ones,
    /// and waits for at most this time, to learn what they can do and say: their names, instructions
    /// and capabilities. The connections are closed again, as they are not those of clients.
    pub fn learn(mut self, time: Duration) -> Self {
        self.learning_time = Some(time);
        self
    }

    /// Calls a function when an upstream fails, with the reason, when it can be used again, and when
    /// its settings name something that it does not have. It is not called again for the same reason
    /// until something has succeeded. It should return soon.
    ///
    /// ```
    /// # let gateway = mcp_gateway::Gateway::builder("gateway", "1.0.0");
    /// let gateway = gateway.on_report(|report| eprintln!("{report}"));
    /// # drop(gateway);
    /// ```
    pub fn on_report(
        mut self,
        on_report: impl Fn(&UpstreamReport<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.on_report = Some(Arc::new(on_report));
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
    pub async fn build(mut self) -> Result<Gateway, GatewayError> {
        let left_out = if self.is_lenient {
            remove_invalid(&mut self.upstreams, self.is_changing)
        } else {
            Vec::new()
        };
        let names = names(&self.upstreams, self.is_changing)?;
        let server = Arc::<OnceLock<Server>>::default();
        let behind = self.upstreams.into_iter().zip(names);
        let upstreams: Vec<Arc<Behind>> = behind
            .map(|(upstream, names)| {
                let (identity, server) = (self.identity.clone(), Arc::clone(&server));
                let on_report = self.on_report.clone();
                Arc::new(Behind::new(upstream, names, identity, server, on_report))
            })
            .collect();
        reach(&upstreams, self.learning_time).await;
        let capabilities = capabilities(&upstreams, self.is_changing);
        let instructions = instructions(&upstreams);
        let configured = self.builder.info(|own| info(&upstreams, own));
        let shared = Arc::new(Shared::new(upstreams, self.on_report));
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
        let mut builder = configured
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
        let gateway = Gateway {
            identity: self.identity,
            server: built,
            shared,
            learning_time: self.learning_time,
        };
        for (name, error) in left_out {
            gateway.leave_out(name, error.to_string());
        }
        Ok(gateway)
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

/// Connects to the upstreams: for some time to all if the gateway learns, otherwise to those that are
/// not lazy. Those that cannot be reached are reported.
async fn reach(upstreams: &[Arc<Behind>], learning_time: Option<Duration>) {
    if let Some(time) = learning_time {
        return learn(upstreams, time).await;
    }
    let known = upstreams.iter();
    let eager = known.filter(|behind| !behind.pool.upstream.is_lazy);
    probes(eager).join_all().await;
}

/// Connects to all upstreams for some time, and closes the connections.
async fn learn(upstreams: &[Arc<Behind>], time: Duration) {
    let mut probes = probes(upstreams.iter());
    let all = async { while probes.join_next().await.is_some() {} };
    if timeout(time, all).await.is_err() {
        tracing::warn!("some upstreams are not connected yet");
    }
    for behind in upstreams {
        behind.pool.close_probe();
    }
}

fn probes<'a>(upstreams: impl Iterator<Item = &'a Arc<Behind>>) -> JoinSet<()> {
    let mut probes = JoinSet::new();
    for behind in upstreams {
        let pool = Arc::clone(&behind.pool);
        probes.spawn(async move { drop(pool.probe().await) });
    }
    probes
}
