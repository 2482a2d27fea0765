//! [`Link`]: a connection to an upstream, which is made when it is first used.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::{Client, ClientBuilder, Limits};
use mcp_server::types::{ClientCapabilities, LoggingLevel};
use mcp_server::{ClientSession, HandlerError, PeerKey};
use tokio::sync::{Notify, OnceCell, watch};
use tokio::time::Instant;

use super::Upstream;
use super::owner::Owner;
use super::shares::Slot;
use super::traffic::{OnChange, Routing, RunningCall, Traffic};

/// The client for which a connection is used. Connections are never shared between two of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinkKey {
    pub(crate) owner: Owner,
    /// The capabilities for questions that the client declared, as JSON.
    pub(crate) capabilities: String,
}

impl LinkKey {
    /// Returns the key of the connection that the gateway makes for itself.
    pub(crate) fn probe() -> Self {
        Self {
            owner: Owner::Anonymous,
            capabilities: "{}".to_owned(),
        }
    }
}

/// For whom a connection is used, and how.
#[derive(Clone)]
pub(crate) struct LinkRequest {
    pub(crate) key: LinkKey,
    /// The peer in whose share the connection is.
    pub(crate) peer: PeerKey,
    pub(crate) session: Option<ClientSession>,
    pub(crate) capabilities: ClientCapabilities,
    /// Whether no other call may use the connection, because what the upstream sends beside the
    /// result has to belong to this one.
    pub(crate) is_exclusive: bool,
}

/// A connection to an upstream.
pub(crate) struct Link {
    pub(crate) key: LinkKey,
    /// The session of the client, if it has one. The connection ends with it.
    pub(crate) session: Option<ClientSession>,
    client: OnceCell<Client>,
    pub(crate) traffic: Arc<Traffic>,
    /// The number of calls that use it.
    busy: AtomicUsize,
    /// Whether one call uses it alone.
    exclusive: AtomicBool,
    /// The number of lists that use it.
    listing: AtomicUsize,
    /// The number of subscriptions that use it.
    subscriptions: AtomicUsize,
    begun: Instant,
    last_use: Mutex<LastUse>,
    /// Whether the connection was taken from its calls, for other users.
    taken: watch::Sender<bool>,
    log_level: Mutex<LogLevel>,
    /// Notified when a use of a connection of the pool ends.
    freed: Arc<Notify>,
}

impl Link {
    pub(crate) fn new(
        key: LinkKey,
        session: Option<ClientSession>,
        peer: PeerKey,
        on_change: OnChange,
        freed: Arc<Notify>,
    ) -> Self {
        let last_use = LastUse {
            at: Instant::now(),
            peer,
        };
        let traffic = Traffic::new(on_change, key.owner.clone(), Arc::clone(&freed));
        Self {
            key,
            session,
            client: OnceCell::new(),
            traffic: Arc::new(traffic),
            busy: AtomicUsize::new(0),
            exclusive: AtomicBool::new(false),
            listing: AtomicUsize::new(0),
            subscriptions: AtomicUsize::new(0),
            begun: Instant::now(),
            last_use: Mutex::new(last_use),
            taken: watch::Sender::new(false),
            log_level: Mutex::default(),
            freed,
        }
    }

    /// Returns the client. Connects with `connect` first, if the connection was not made yet.
    pub(crate) async fn client<F>(
        &self,
        connect: impl FnOnce() -> F,
    ) -> Result<&Client, HandlerError>
    where
        F: Future<Output = Result<Client, HandlerError>>,
    {
        self.client.get_or_try_init(connect).await
    }

    /// Returns the settings of the client.
    pub(crate) fn builder(
        &self,
        upstream: &Upstream,
        identity: &Identity,
        capabilities: &ClientCapabilities,
    ) -> ClientBuilder {
        let mut limits = Limits::default();
        limits.call_time = upstream.limits.call_time;
        Client::builder(&identity.name, &identity.version)
            .limits(limits)
            .capabilities(|_| capabilities.clone())
            .layer(Routing(Arc::clone(&self.traffic)))
    }

    /// Returns the client, if it is connected.
    pub(crate) fn connected(&self) -> Option<&Client> {
        self.client.get()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.get().is_some_and(Client::is_closed)
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire) > 0
    }

    /// Returns `true` if a call may use the connection, alone or beside others.
    pub(crate) fn is_free(&self, is_exclusive: bool) -> bool {
        let is_excluded = self.exclusive.load(Ordering::Acquire);
        !(is_excluded || is_exclusive && (self.is_busy() || self.traffic.has_leftover()))
    }

    pub(crate) fn has_subscriptions(&self) -> bool {
        self.subscriptions.load(Ordering::Acquire) > 0
    }

    /// Returns `true` if the connection can be closed to make room for another one.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_busy() && self.listing.load(Ordering::Acquire) == 0 && !self.has_subscriptions()
    }

    /// Returns `true` if all that the connection is used for are calls that wait for answers of
    /// users.
    pub(crate) fn only_waits_for_users(&self) -> bool {
        self.is_busy()
            && self.listing.load(Ordering::Acquire) == 0
            && !self.has_subscriptions()
            && self.traffic.asking() >= self.busy.load(Ordering::Acquire)
    }

    /// Takes the connection from its calls, which fail.
    pub(crate) fn take(&self) {
        self.taken.send_replace(true);
    }

    /// Waits until the connection is taken from its calls.
    pub(crate) async fn taken(&self) {
        // Fails only if the sender is dropped, and `self` owns it.
        let _ = self.taken.subscribe().wait_for(|taken| *taken).await;
    }

    /// Returns `true` if the connection was for a session that has ended.
    pub(crate) fn has_ended_session(&self) -> bool {
        self.session.as_ref().is_some_and(ClientSession::has_ended)
    }

    /// Returns for how long the connection has existed.
    pub(crate) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Returns for how long the connection has not been used.
    pub(crate) fn idle_time(&self) -> Duration {
        self.last_use().at.elapsed()
    }

    /// Returns the peer that used the connection last.
    pub(crate) fn peer(&self) -> PeerKey {
        self.last_use().peer.clone()
    }

    fn counter(&self, purpose: &Purpose) -> &AtomicUsize {
        match purpose {
            Purpose::Call(_) => &self.busy,
            Purpose::List => &self.listing,
            Purpose::Subscription => &self.subscriptions,
        }
    }

    fn last_use(&self) -> MutexGuard<'_, LastUse> {
        self.last_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the level of log messages. Not locked while the upstream is waited for.
    pub(crate) fn log_level(&self) -> MutexGuard<'_, LogLevel> {
        self.log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who used a connection last, and when.
struct LastUse {
    at: Instant,
    peer: PeerKey,
}

/// The level of log messages of a connection, for upstreams of older revisions.
#[derive(Default)]
pub(crate) struct LogLevel {
    /// The level that was requested last.
    pub(crate) newest: Option<LoggingLevel>,
    /// Whether a task sets it.
    pub(crate) is_being_set: bool,
}

/// How the gateway describes itself to upstreams.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// What a connection is used for.
#[derive(Clone)]
pub(crate) enum Purpose {
    /// A call, alone or beside others.
    Call(Arc<RunningCall>),
    /// A list, beside calls. What the upstream sends on its own does not belong to it.
    List,
    /// A subscription, beside calls.
    Subscription,
}

/// The use of a connection. It ends when this is dropped.
pub(crate) struct Lease {
    pub(crate) link: Arc<Link>,
    purpose: Purpose,
    is_exclusive: bool,
    /// That of a list or subscription. A call has its own.
    pub(crate) slot: Option<Slot>,
}

impl Lease {
    /// Uses a connection for a peer. The caller holds the lock of the pool.
    pub(crate) fn new(
        link: Arc<Link>,
        peer: PeerKey,
        purpose: Purpose,
        is_exclusive: bool,
    ) -> Self {
        let is_exclusive = is_exclusive && matches!(purpose, Purpose::Call(_));
        link.counter(&purpose).fetch_add(1, Ordering::AcqRel);
        if is_exclusive {
            link.exclusive.store(true, Ordering::Release);
        }
        if let Purpose::Call(call) = &purpose {
            link.traffic.add(call);
        }
        *link.last_use() = LastUse {
            at: Instant::now(),
            peer,
        };
        Self {
            link,
            purpose,
            is_exclusive,
            slot: None,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let link = &*self.link;
        link.last_use().at = Instant::now();
        if let Purpose::Call(call) = &self.purpose {
            link.traffic.remove(call);
        }
        if self.is_exclusive {
            link.exclusive.store(false, Ordering::Release);
        }
        link.counter(&self.purpose).fetch_sub(1, Ordering::AcqRel);
        link.freed.notify_waiters();
    }
}

/// A connection that is used for a call.
pub(crate) struct Connected {
    pub(crate) client: Client,
    lease: Lease,
}

impl Connected {
    pub(crate) fn new(client: Client, lease: Lease) -> Self {
        Self { client, lease }
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.lease.link
    }
}

/// Why a subscription cannot be repeated at an upstream.
pub(crate) enum ListenError {
    /// The client, or all clients together, have too many subscriptions there.
    Full(HandlerError),
    /// The upstream cannot be reached.
    Failed(HandlerError),
}
