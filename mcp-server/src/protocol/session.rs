//! [`Session`]: what a handshake established with a legacy peer.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::rpc::ErrorObject;
use mcp_types::{ClientCapabilities, Implementation, LoggingLevel, RequestId, Revision};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::util::uri_set::UriSet;

/// A legacy peer after `initialize`: the process on a pair of byte streams, the holder of an
/// `Mcp-Session-Id` over HTTP.
pub(crate) struct Session {
    /// The session's id over HTTP.
    pub(crate) id: Option<Box<str>>,
    /// The authenticated principal whose `initialize` began the session. Requests of any other
    /// principal, or of none, do not belong to it.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "a connection has one principal")
    )]
    pub(crate) principal: Option<Box<str>>,
    pub(crate) revision: Revision,
    /// Bytes of the JSON text of the two members that follow.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "counted for HTTP sessions")
    )]
    pub(crate) peer_bytes: usize,
    pub(crate) client_info: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    /// Whether `notifications/initialized` came.
    pub(crate) initialized: AtomicBool,
    level: AtomicU8,
    resources: Mutex<UriSet>,
    pub(crate) calls: Arc<Calls>,
    /// Writes to the stores of the session in progress.
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
            id,
            principal,
            revision,
            peer_bytes,
            client_info,
            capabilities,
            initialized: AtomicBool::new(false),
            level: AtomicU8::new(severity(LoggingLevel::Info)),
            resources: Mutex::default(),
            calls: Arc::default(),
            #[cfg(feature = "http")]
            writes: crate::util::write_gate::WriteGate::default(),
        }
    }

    fn resources(&self) -> MutexGuard<'_, UriSet> {
        let resources = self.resources.lock();
        resources.unwrap_or_else(PoisonError::into_inner)
    }

    /// The least severity of log messages that the session asked for.
    pub(crate) fn level(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    pub(crate) fn set_level(&self, level: LoggingLevel) {
        self.level.store(severity(level), Ordering::Relaxed);
    }

    #[cfg(feature = "http")]
    pub(crate) fn set_severity(&self, level: u8) {
        self.level.store(level, Ordering::Relaxed);
    }

    /// Adds a subscription to a resource; `false` where there are `limit` already, or their URIs
    /// are too long.
    pub(crate) fn subscribe(&self, uri: &str, limit: usize) -> bool {
        let mut resources = self.resources();
        if resources.contains(uri) {
            return true;
        }
        let full = resources.all().len() >= limit;
        if full || resources.bytes() + uri.len() > SUBSCRIBED_BYTES {
            return false;
        }
        resources.insert(uri.to_owned())
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.resources().remove(uri);
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        self.resources().contains(uri)
    }

    /// The memory that the session keeps for its peer, in bytes.
    #[cfg(feature = "http")]
    pub(crate) fn memory(&self) -> usize {
        crate::protocol::retained::memory(self.peer_bytes, self.resources().bytes())
    }

    /// The resources subscribed to, in order.
    #[cfg(feature = "http")]
    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.resources().all().to_vec()
    }
}

/// Severity as a number: higher is worse.
pub(crate) fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// A peer's answer to a request of ours: the raw result, or its error.
pub(crate) type Response = Result<Box<RawValue>, ErrorObject>;

/// Requests of ours that wait for a legacy peer's answer.
#[derive(Default)]
pub(crate) struct Calls {
    #[cfg(any(feature = "http", feature = "asking"))]
    next: std::sync::atomic::AtomicU64,
    waiting: Mutex<Senders>,
}

#[derive(Default)]
struct Senders {
    /// Few at a time.
    by_id: Vec<(RequestId, oneshot::Sender<Response>)>,
    /// Whether no answer will come any more.
    closed: bool,
}

impl Senders {
    fn take(&mut self, id: &RequestId) -> Option<oneshot::Sender<Response>> {
        let place = self.by_id.iter().position(|(known, _)| known == id)?;
        Some(self.by_id.swap_remove(place).1)
    }
}

impl Calls {
    /// Counts ids from a number on.
    #[cfg(feature = "http")]
    pub(crate) fn begin_at(&self, first: u64) {
        self.next.store(first, Ordering::Relaxed);
    }

    fn waiting(&self) -> MutexGuard<'_, Senders> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new id, and where its answer will arrive; `None` where the peer says nothing any more.
    /// Dropping the receiver gives the id up.
    #[cfg(feature = "asking")]
    pub(crate) fn open(self: &Arc<Self>) -> Option<Waiting> {
        let id = RequestId::from(self.next.fetch_add(1, Ordering::Relaxed).cast_signed());
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting();
        if waiting.closed {
            return None;
        }
        waiting.by_id.push((id.clone(), sender));
        drop(waiting);
        Some(Waiting {
            calls: Arc::clone(self),
            id,
            receiver,
        })
    }

    /// Hands an answer over; `false` where nobody waits for that id.
    pub(crate) fn answer(&self, id: &RequestId, response: Response) -> bool {
        let sender = self.waiting().take(id);
        sender.is_some_and(|sender| sender.send(response).is_ok())
    }

    /// No answer will come any more: who waits for one learns it now.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting();
        waiting.closed = true;
        let gone = std::mem::take(&mut waiting.by_id);
        // Without the lock, as who waits is woken.
        drop(waiting);
        drop(gone);
    }
}

/// A request of ours on its way.
#[cfg(feature = "asking")]
pub(crate) struct Waiting {
    calls: Arc<Calls>,
    pub(crate) id: RequestId,
    pub(crate) receiver: oneshot::Receiver<Response>,
}

#[cfg(feature = "asking")]
impl Drop for Waiting {
    fn drop(&mut self) {
        self.calls.waiting().take(&self.id);
    }
}
