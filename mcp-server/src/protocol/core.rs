//! [`Core`], the state that all requests of a server share; [`Context`], the request of a handler;
//! [`Route`] and [`Listener`], the handlers by method; [`ResourceAccess`]. They refer to each other,
//! so they are defined together.

pub(crate) mod context;
mod layer;
pub(crate) mod metrics;
pub(crate) mod progress;

use std::any::{Any, type_name};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

use mcp_types::{Implementation, ProgressToken, Proposal, RequestId, Revision, ServerCapabilities};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout};

use crate::protocol::caller::{ContextValues, Extensions};
use crate::protocol::changes::{Announced, Hub};
use crate::protocol::detached::DetachedTable;
use crate::protocol::error::handler_error::{ErrorConversions, HandlerError};
use crate::protocol::error::{BuildError, ErrorDetail};
use crate::protocol::limits::Limits;
use crate::protocol::message::MessageSink;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::metrics::operations::{Measured, OperationCounter, Tools};
use crate::protocol::quota::Peers;
use crate::protocol::session::peer::Peer;
use crate::protocol::store::access::Stores;
use crate::protocol::store::link::BusReceiver;
use crate::protocol::store::message::{AnyChange, BusMessage};
use crate::util::partial_debug::partial_debug;
use crate::util::progress_throttle::ProgressThrottle;
use crate::util::signal::CancelSignal;
use crate::util::type_map::TypeMap;

/// The state of a running server, shared by all its transports and requests.
pub(crate) struct Core {
    pub(crate) info: Implementation,
    /// `info` as JSON.
    pub(crate) info_text: Box<RawValue>,
    pub(crate) instructions: RwLock<Option<String>>,
    pub(crate) about: About,
    pub(crate) limits: Limits,
    pub(crate) error_detail: ErrorDetail,
    /// Whether lists contain only what the scopes of the caller permit.
    pub(crate) lists_permitted_only: bool,
    pub(crate) errors: ErrorConversions,
    pub(crate) states: TypeMap,
    pub(crate) layers: Vec<Box<dyn Layer>>,
    pub(crate) routes: Routes,
    pub(crate) hub: Hub,
    /// Removes what the client must not see from a block of a question to the client.
    #[cfg(feature = "proposals")]
    pub(crate) withhold: fn(&mut mcp_types::ContentBlock, &Context),
    pub(crate) stores: Stores,
    pub(crate) peers: Arc<Peers>,
    pub(crate) stopping: CancelSignal,
    /// The calls that outlive the rounds of their requests.
    pub(crate) detached: DetachedTable<Context>,
    /// When the shutdown began.
    pub(crate) stopping_since: OnceLock<Instant>,
    /// What else than requests a shutdown waits for.
    pub(crate) background: OnceLock<Weak<dyn BackgroundWork>>,
    /// The requests of methods without a route.
    pub(crate) unknown_methods: OperationCounter,
    #[cfg(feature = "http")]
    pub(crate) counters: crate::protocol::metrics::counters::Counters,
    pub(crate) keys: crate::protocol::seal::KeySlot,
    /// The catalogs of the features, for the public `Server`.
    pub(crate) assembly: Arc<dyn Any + Send + Sync>,
}

/// What the server declares to its clients.
pub(crate) struct About {
    pub(crate) capabilities: ServerCapabilities,
    /// The revisions that the server supports, oldest first.
    pub(crate) revisions: &'static [Revision],
    pub(crate) proposals: BTreeSet<Proposal>,
    /// The extensions that are not announced to clients with a session.
    pub(crate) modern_extensions: BTreeSet<String>,
}

/// The handlers of all messages, and what the features add for messages of other features.
#[derive(Default)]
pub(crate) struct Routes {
    pub(crate) requests: Methods<Routed>,
    pub(crate) listeners: Methods<Box<dyn Listener>>,
    /// Handles the requests of methods without a route.
    pub(crate) fallback: Option<Box<dyn Route>>,
    /// Handles the notifications without a listener.
    pub(crate) fallback_listener: Option<Box<dyn Listener>>,
    /// Decides which clients are notified of changes of a resource; `None` without resources.
    pub(crate) resource_access: Option<Box<dyn ResourceAccess>>,
    /// The tools, for metrics and middleware; `None` if the server has no tools of its own.
    pub(crate) tools: Option<Arc<dyn Tools>>,
}

impl Core {
    /// Returns the instructions for the model.
    pub(crate) fn instructions(&self) -> Option<String> {
        let instructions = self.instructions.read();
        instructions.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns `true` if the program opted into a proposal.
    pub(crate) fn offers(&self, proposal: Proposal) -> bool {
        self.about.proposals.contains(&proposal)
    }

    /// Announces a change to all subscribers: at once in this process, soon in the others.
    pub(crate) fn announce(&self, announced: impl Into<Announced>) {
        let announced = announced.into();
        if let Some(bus) = &self.stores.bus {
            bus.announce(announced.clone());
        }
        self.hub.publish(announced);
    }

    /// Begins the shutdown.
    pub(crate) fn shut_down(&self) {
        self.stopping_since.get_or_init(Instant::now);
        self.stopping.set();
    }

    /// Resolves when a shutdown begins.
    pub(crate) async fn stopping(&self) {
        self.stopping.wait().await;
    }

    /// Resolves when the server has been shutting down for [`Limits::grace_time`].
    #[cfg(any(feature = "http", feature = "tasks"))]
    pub(crate) async fn grace_over(&self) {
        self.stopping().await;
        tokio::time::sleep(self.grace_left()).await;
    }

    /// Returns how much of the grace time is left: all of it before a shutdown begins.
    pub(crate) fn grace_left(&self) -> Duration {
        let passed = self.stopping_since.get().map(Instant::elapsed);
        let grace = self.limits.grace_time;
        grace.saturating_sub(passed.unwrap_or_default())
    }

    /// If the server is shutting down, waits for work that is not a request: for the rest of the grace
    /// time, and for one operation of the store.
    pub(crate) async fn background_ended(&self) {
        let work = self.background.get().and_then(Weak::upgrade);
        let Some(work) = work.filter(|_| self.stopping.is_set()) else {
            return;
        };
        let limit = self.grace_left().saturating_add(self.limits.store_time);
        if timeout(limit, work.ended()).await.is_err() {
            tracing::warn!("tasks were neither ended nor handed over within the grace time");
        }
    }

    /// Returns the handler of a method: its own if the revision has the method, or else that of all
    /// other requests.
    pub(crate) fn route(&self, method: &str, revision: Revision) -> Option<&dyn Route> {
        let routed = self.routed(method, revision).map(|routed| &*routed.route);
        routed.or(self.routes.fallback.as_deref())
    }

    /// Returns a method if the revision has it.
    pub(crate) fn routed(&self, method: &str, revision: Revision) -> Option<&Routed> {
        let routed = self.routes.requests.get(method)?;
        routed.revisions.contains(&revision).then_some(routed)
    }

    pub(crate) fn listener(&self, method: &str) -> Option<&dyn Listener> {
        let listener = self
            .routes
            .listeners
            .get(method)
            .map(|listener| &**listener);
        listener.or(self.routes.fallback_listener.as_deref())
    }
}

partial_debug!(Core, |it| info: it.info);

impl BusReceiver for Core {
    fn receive(&self, message: &BusMessage) {
        match message {
            BusMessage::Changes(changes) => {
                for change in changes {
                    match change {
                        AnyChange::Known(change) => self.hub.publish(change.clone()),
                        AnyChange::Detailed { change, params } => {
                            let params = RawValue::from_string(params.clone()).map(Arc::from);
                            self.hub
                                .publish(Announced::new(change.clone(), params.ok()));
                        }
                        AnyChange::Unknown(_) => self.hub.publish_everything(),
                    }
                }
            }
            BusMessage::Everything => self.hub.publish_everything(),
            _ => {}
        }
    }
}

/// The states that a program shares with its handlers, of a server or of a group.
impl TypeMap {
    /// Adds a state; the first one of a type stays.
    pub(crate) fn add_state<T: Send + Sync + 'static>(
        &mut self,
        state: T,
    ) -> Result<(), BuildError> {
        if self.get::<T>().is_some() {
            return Err(BuildError::DuplicateType {
                kind: "state",
                type_name: type_name::<T>(),
            });
        }
        self.insert(state);
        Ok(())
    }
}

/// The context of a request or notification, passed to its handler. Cheap to clone.
///
/// A context may outlive its request; messages that are sent with it afterwards are discarded.
#[derive(Clone)]
pub struct Context {
    pub(crate) state: Arc<RequestState>,
    /// Values that middleware and groups added.
    pub(crate) values: Option<Arc<ContextValues>>,
}

/// The part of a [`Context`] that its clones share.
pub(crate) struct RequestState {
    pub(crate) core: Arc<Core>,
    /// `None` for a notification.
    pub(crate) id: Option<RequestId>,
    pub(crate) method: Box<str>,
    pub(crate) peer: Peer,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The least severity of log messages that the client wants; `None` if it wants none.
    pub(crate) log_level: Option<u8>,
    /// The size of the request's `_meta` as text, in bytes.
    pub(crate) meta_bytes: usize,
    pub(crate) trace_parent: Option<Box<str>>,
    pub(crate) sink: Arc<dyn MessageSink>,
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) ended: CancelSignal,
    pub(crate) progress: ProgressThrottle,
    pub(crate) measured: Measured,
    /// The questions and answers of the request, owned by the feature that asks the client.
    pub(crate) inputs: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// A running handler. Resolves to the whole response message.
pub(crate) type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<Vec<u8>, HandlerError>> + Send>>;

/// A handler of a request.
pub(crate) trait Route: Send + Sync {
    /// Decodes the params and starts the handler.
    fn start(&self, params: &ParamsView<'_>, cx: &Context) -> Result<ResponseFuture, HandlerError>;
}

/// A handler of a notification.
pub(crate) trait Listener: Send + Sync {
    /// Decodes the params and starts the handler.
    fn start(
        &self,
        params: Option<&RawValue>,
        cx: &Context,
    ) -> Result<Pin<Box<dyn Future<Output = ()> + Send>>, HandlerError>;
}

/// Decides which clients may know of a resource. Implemented by the subscriptions.
pub(crate) trait ResourceAccess: Send + Sync {
    /// Returns `true` if the client of the context may know of a resource, and of its changes.
    fn admits<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a Context,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to this server.
    ToServer,
    /// From this server to the client.
    ToClient,
}

/// Code around the handlers of messages: a [`Middleware`](crate::middleware::Middleware) with its
/// type erased.
pub(crate) trait Layer: Send + Sync {
    /// Serves a request. `next` is what comes behind this layer.
    fn start(&self, request: LayerRequest, next: NextStep) -> ResponseFuture;

    /// Passes a notification on, or drops it.
    fn notify(&self, notification: Notification) -> Option<Notification>;
}

/// A request on its way through the layers.
pub(crate) struct LayerRequest {
    pub(crate) params: Box<RawValue>,
    /// The context of the client's request. For a request to the client, of the request whose
    /// handler asks.
    pub(crate) cx: Context,
    /// The method of a request to the client; `None` for one of the client.
    pub(crate) asked: Option<&'static str>,
}

/// Sends a request with these params to the client. Resolves to the whole response.
pub(crate) type SendToClient = Box<dyn FnOnce(Box<RawValue>) -> ResponseFuture + Send>;

/// Where a request goes next: through the layers that it has not passed yet, then to its target.
pub(crate) enum NextStep {
    /// The layers from this index on, then the handler.
    Handler(usize),
    /// The layers before this index, the last one first, then the client.
    Client(usize, SendToClient),
}

/// A notification, as a middleware sees it.
pub struct Notification {
    direction: Direction,
    method: Box<str>,
    params: Option<Box<RawValue>>,
    cx: Context,
}

/// Handlers by method. There are few, so they are searched in order.
pub(crate) struct Methods<T>(Vec<(&'static str, T)>);

impl<T> Default for Methods<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Methods<T> {
    pub(crate) fn get(&self, method: &str) -> Option<&T> {
        let known = self.0.iter().find(|(known, _)| *known == method)?;
        Some(&known.1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(&'static str, T)> {
        self.0.iter()
    }

    /// Adds a handler, unless the method already has one.
    pub(crate) fn add_default(&mut self, method: &'static str, handler: T) {
        if self.get(method).is_none() {
            self.0.push((method, handler));
        }
    }

    /// Adds a handler. A second one for a method is an error.
    pub(crate) fn add(&mut self, method: &'static str, handler: T) -> Result<(), BuildError> {
        if self.get(method).is_some() {
            return Err(BuildError::DuplicateMethod(method.to_owned()));
        }
        self.0.push((method, handler));
        Ok(())
    }
}

/// A handler, the revisions that have its method, and its counts.
pub(crate) struct Routed {
    route: Box<dyn Route>,
    revisions: Vec<Revision>,
    pub(crate) operation: OperationCounter,
}

impl Routed {
    /// Clients of all revisions can use a method that no revision has: it is an application's own.
    pub(crate) fn new(method: &str, route: Box<dyn Route>) -> Self {
        let mut revisions = Revision::WITH_DRAFT.to_vec();
        revisions.retain(|revision| revision.has_method(method));
        if revisions.is_empty() {
            revisions = Revision::WITH_DRAFT.to_vec();
        }
        Self {
            revisions,
            ..Self::at_any_revision(route)
        }
    }

    /// Clients of all revisions can use the method, whichever revisions define it.
    pub(crate) fn at_any_revision(route: Box<dyn Route>) -> Self {
        Self {
            route,
            revisions: Revision::WITH_DRAFT.to_vec(),
            operation: OperationCounter::default(),
        }
    }
}

/// Work that outlives its requests. A server that shuts down waits for it.
pub(crate) trait BackgroundWork: Send + Sync {
    /// Resolves when the work has ended, or was handed over to other processes, after a shutdown began.
    fn ended(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}
