//! [`Link`]: a connection to an upstream, which is made when it is first used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::{Client, ClientBuilder, Limits};
use mcp_server::types::{ClientCapabilities, LoggingLevel};
use mcp_server::{ClientSession, HandlerError};
use tokio::sync::{Mutex, OnceCell};
use tokio::time::Instant;

use super::Upstream;
use super::traffic::{OnChange, Routing, RunningCall, Traffic};

/// The client for which a connection is used. Connections are never shared between two of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinkKey {
    pub(crate) owner: Owner,
    /// The capabilities for questions that the client declared, as JSON.
    pub(crate) capabilities: String,
}

/// For whom a gateway calls.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A session of an older revision.
    Session(String),
    /// An authenticated user, without a session.
    Principal(String),
    /// All clients that are not authenticated and have no session.
    Anonymous,
}

impl std::fmt::Debug for Owner {
    /// Does not show the names.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Session(_) => "Session",
            Self::Principal(_) => "Principal",
            Self::Anonymous => "Anonymous",
        })
    }
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
    /// The number of subscriptions and lists that use it.
    listening: AtomicUsize,
    used: std::sync::Mutex<Instant>,
    /// The level of log messages that was set, for upstreams of older revisions.
    pub(crate) log_level: Mutex<Option<LoggingLevel>>,
}

impl Link {
    pub(crate) fn new(key: LinkKey, session: Option<ClientSession>, on_change: OnChange) -> Self {
        Self {
            key,
            session,
            client: OnceCell::new(),
            traffic: Arc::new(Traffic::new(on_change)),
            busy: AtomicUsize::new(0),
            exclusive: AtomicBool::new(false),
            listening: AtomicUsize::new(0),
            used: std::sync::Mutex::new(Instant::now()),
            log_level: Mutex::new(None),
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
        !(is_excluded || is_exclusive && self.is_busy())
    }

    /// Returns `true` if the connection can be closed to make room for another one.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_busy() && self.listening.load(Ordering::Acquire) == 0
    }

    /// Returns for how long the connection has not been used.
    pub(crate) fn idle_time(&self) -> Duration {
        let used = self
            .used
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        used.elapsed()
    }

    fn touch(&self) {
        *self
            .used
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Instant::now();
    }
}

/// How the gateway describes itself to upstreams.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// The use of a connection. It ends when this is dropped.
pub(crate) struct Lease {
    pub(crate) link: Arc<Link>,
    call: Option<Arc<RunningCall>>,
    is_exclusive: bool,
}

impl Lease {
    /// Uses a connection for a call. The caller holds the lock of the pool.
    pub(crate) fn for_call(link: Arc<Link>, call: &Arc<RunningCall>, is_exclusive: bool) -> Self {
        link.busy.fetch_add(1, Ordering::AcqRel);
        if is_exclusive {
            link.exclusive.store(true, Ordering::Release);
        }
        link.traffic.add(call);
        link.touch();
        Self {
            link,
            call: Some(Arc::clone(call)),
            is_exclusive,
        }
    }

    /// Uses a connection beside calls, for a subscription or a list. What the upstream sends on its
    /// own does not belong to it.
    pub(crate) fn beside_calls(link: Arc<Link>) -> Self {
        link.listening.fetch_add(1, Ordering::AcqRel);
        Self {
            link,
            call: None,
            is_exclusive: false,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.link.touch();
        match &self.call {
            Some(call) => {
                self.link.traffic.remove(call);
                if self.is_exclusive {
                    self.link.exclusive.store(false, Ordering::Release);
                }
                self.link.busy.fetch_sub(1, Ordering::AcqRel);
            }
            None => {
                self.link.listening.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }
}
