//! [`Session`]: the state of a legacy peer after its handshake.

pub(crate) mod peer;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_types::rpc::ErrorObject;
use mcp_types::{ClientCapabilities, Implementation, LoggingLevel, Revision};
use serde_json::value::RawValue;

use crate::protocol::caller::Caller;
use crate::protocol::changes::Watched;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::util::lock::lock;
use crate::util::partial_debug::partial_debug;
use crate::util::signal::CancelSignal;
use crate::util::uri_set::UriSet;

/// A legacy peer after `initialize`: the process at the other end of a pair of byte streams, or the
/// client that uses an `Mcp-Session-Id` over HTTP.
pub(crate) struct Session {
    /// The session's id over HTTP.
    pub(crate) id: Option<Box<str>>,
    /// The authenticated principal that sent `initialize`. Requests of another principal, or of
    /// none, do not belong to the session.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "a connection has one principal")
    )]
    pub(crate) principal: Option<Box<str>>,
    pub(crate) revision: Revision,
    /// The size of the JSON text of `client_info` and `capabilities`, in bytes.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "counted for HTTP sessions")
    )]
    pub(crate) peer_bytes: usize,
    pub(crate) client_info: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    /// Whether the client has sent `notifications/initialized`.
    pub(crate) initialized: AtomicBool,
    level: AtomicU8,
    resources: Mutex<UriSet>,
    /// The caller to whom guards grant or refuse notifications of changes: the one that subscribed
    /// last.
    subscriber: Mutex<Option<Caller>>,
    pub(crate) pending: Arc<PendingRequests>,
    /// Notifies the program of the end of the session.
    pub(crate) ending: SessionEnd,
    /// Tracks the writes to the stores of the session.
    #[cfg(feature = "http")]
    pub(crate) writes: crate::util::write_gate::WriteGate,
}

impl Session {
    pub(crate) fn new(
        id: Option<Box<str>>,
        principal: Option<Box<str>>,
        revision: Revision,
        peer_bytes: usize,
        client_info: Implementation,
        capabilities: ClientCapabilities,
    ) -> Self {
        Self {
            ending: SessionEnd::new(id.as_deref()),
            id,
            principal,
            revision,
            peer_bytes,
            client_info,
            capabilities,
            initialized: AtomicBool::new(false),
            level: AtomicU8::new(severity(LoggingLevel::Info)),
            resources: Mutex::default(),
            subscriber: Mutex::default(),
            pending: Arc::default(),
            #[cfg(feature = "http")]
            writes: crate::util::write_gate::WriteGate::default(),
        }
    }

    /// Returns the minimum severity of log messages that the client wants.
    pub(crate) fn level(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    pub(crate) fn set_level(&self, level: LoggingLevel) {
        self.level.store(severity(level), Ordering::Relaxed);
    }

    /// Subscribes to a resource. Returns `false` if there are `limit` subscriptions already, or
    /// their URIs would be too long.
    pub(crate) fn subscribe(&self, uri: &str, limit: usize) -> bool {
        let mut resources = lock(&self.resources);
        if resources.contains(uri) {
            return true;
        }
        let full = resources.all().len() >= limit;
        if full || resources.bytes() + uri.len() > SUBSCRIBED_BYTES {
            return false;
        }
        resources.insert(uri)
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        lock(&self.resources).remove(uri);
    }

    /// Sets the caller to whom guards grant or refuse notifications of changes.
    pub(crate) fn set_subscriber(&self, caller: Caller) {
        *lock(&self.subscriber) = Some(caller);
    }

    /// Returns the caller to whom guards grant or refuse notifications of changes. If no caller is
    /// known, returns one without any values, like that of a client that is not authenticated.
    pub(crate) fn notified_caller(&self) -> Caller {
        lock(&self.subscriber).clone().unwrap_or_default()
    }

    /// Ends the session for the program, although it may keep the context of a request. Removes the
    /// subscriber, because its values may refer to the session.
    pub(crate) fn end(&self) {
        *lock(&self.subscriber) = None;
        self.ending.now();
    }
}

#[cfg(feature = "http")]
impl Session {
    pub(crate) fn set_severity(&self, level: u8) {
        self.level.store(level, Ordering::Relaxed);
    }

    /// As [`set_subscriber`](Self::set_subscriber), unless the client has subscribed in this
    /// process.
    pub(crate) fn set_listener(&self, caller: Caller) {
        lock(&self.subscriber).get_or_insert(caller);
    }

    /// Returns the memory that the session uses, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let head_bytes = lock(&self.subscriber)
            .as_ref()
            .map_or(0, Caller::head_bytes);
        crate::protocol::quota::retained::memory(self.peer_bytes, lock(&self.resources).bytes())
            .saturating_add(head_bytes)
    }

    /// Replaces the subscribed resources, if they are others.
    pub(crate) fn set_subscriptions(&self, uris: &[String]) {
        let mut subscribed = UriSet::default();
        for uri in uris {
            subscribed.insert(uri);
        }
        let mut resources = lock(&self.resources);
        if subscribed.all() != resources.all() {
            *resources = subscribed;
        }
    }

    /// Returns the URIs of the subscribed resources, sorted.
    pub(crate) fn subscriptions(&self) -> Vec<String> {
        lock(&self.resources).all().to_vec()
    }
}

impl Watched for Arc<Session> {
    fn contains(&self, uri: &str) -> bool {
        lock(&self.resources).contains(uri)
    }

    fn all(&self) -> Vec<String> {
        lock(&self.resources).all().to_vec()
    }
}

/// Returns the severity as a number. Higher is more severe.
pub(crate) fn severity(level: LoggingLevel) -> u8 {
    // The specification declares the levels in this order.
    level as u8
}

/// A peer's response to a request of the server: the raw result, or the reason of its failure.
pub(crate) type PeerResponse = Result<Box<RawValue>, ResponseFailure>;

/// Why a peer's response to a request of the server has no result.
pub(crate) enum ResponseFailure {
    /// The peer responded with an error.
    Refused(ErrorObject),
    /// The response is malformed, for this reason.
    Malformed(String),
}

impl fmt::Display for ResponseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Malformed(reason) => f.write_str(reason),
        }
    }
}

/// Requests of the server that wait for a response of a legacy peer. If the session ends, they fail
/// without a reason.
pub(crate) type PendingRequests = mcp_wire::PendingRequests<PeerResponse, ()>;

/// The session of a client of a revision up to 2025-11-25, for what a program keeps for it. A clone
/// is the same session, and does not keep it open.
#[derive(Clone)]
pub struct ClientSession {
    key: Arc<str>,
    ended: Arc<CancelSignal>,
}

impl ClientSession {
    /// Returns what distinguishes the session from others of this server: the session's id over
    /// HTTP, which is a secret of the client, and a number of this process over byte streams.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Waits until the session has ended. If processes share sessions, this is also the moment at
    /// which this process forgets the session.
    pub async fn ended(&self) {
        self.ended.wait().await;
    }

    /// Returns `true` if the session has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended.is_set()
    }
}

partial_debug!(
    /// The key recognises a client, so it is not shown.
    ClientSession, |it| has_ended: it.has_ended()
);

/// The part of a session that ends it, at the latest when it is dropped.
pub(crate) struct SessionEnd(pub(crate) ClientSession);

impl SessionEnd {
    pub(crate) fn new(id: Option<&str>) -> Self {
        static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

        let key = match id {
            Some(id) => id.into(),
            None => format!("connection {}", CONNECTIONS.fetch_add(1, Ordering::Relaxed)).into(),
        };
        Self(ClientSession {
            key,
            ended: Arc::default(),
        })
    }

    /// Ends the session.
    pub(crate) fn now(&self) {
        self.0.ended.set();
    }
}

impl Drop for SessionEnd {
    fn drop(&mut self) {
        self.now();
    }
}
