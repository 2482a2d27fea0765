//! [`Session`]: the state of a legacy peer after its handshake.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::rpc::ErrorObject;
use mcp_types::{ClientCapabilities, Implementation, LoggingLevel, RequestId, Revision};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::protocol::limits::SUBSCRIBED_BYTES;
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
    pub(crate) pending: Arc<PendingRequests>,
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
            id,
            principal,
            revision,
            peer_bytes,
            client_info,
            capabilities,
            initialized: AtomicBool::new(false),
            level: AtomicU8::new(severity(LoggingLevel::Info)),
            resources: Mutex::default(),
            pending: Arc::default(),
            #[cfg(feature = "http")]
            writes: crate::util::write_gate::WriteGate::default(),
        }
    }

    fn resources(&self) -> MutexGuard<'_, UriSet> {
        let resources = self.resources.lock();
        resources.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the minimum severity of log messages that the client wants.
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

    /// Subscribes to a resource. Returns `false` if there are `limit` subscriptions already, or
    /// their URIs would be too long.
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

    /// Returns the memory that the session uses, in bytes.
    #[cfg(feature = "http")]
    pub(crate) fn memory(&self) -> usize {
        crate::protocol::retained::memory(self.peer_bytes, self.resources().bytes())
    }

    /// Returns the URIs of the subscribed resources, sorted.
    #[cfg(feature = "http")]
    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.resources().all().to_vec()
    }
}

/// Returns the severity as a number. Higher is more severe.
pub(crate) fn severity(level: LoggingLevel) -> u8 {
    // The specification declares the levels in this order.
    level as u8
}

/// A peer's response to a request of the server: the raw result or the error.
pub(crate) type ClientResponse = Result<Box<RawValue>, ErrorObject>;

/// Requests of the server that wait for a response of a legacy peer.
#[derive(Default)]
pub(crate) struct PendingRequests {
    #[cfg(any(feature = "http", feature = "asking"))]
    next: std::sync::atomic::AtomicU64,
    waiting: Mutex<Senders>,
}

#[derive(Default)]
struct Senders {
    /// A list, because there are only a few at a time.
    by_id: Vec<(RequestId, oneshot::Sender<ClientResponse>)>,
    /// Whether no more responses can arrive.
    closed: bool,
}

impl Senders {
    fn take(&mut self, id: &RequestId) -> Option<oneshot::Sender<ClientResponse>> {
        let index = self.by_id.iter().position(|(known, _)| known == id)?;
        Some(self.by_id.swap_remove(index).1)
    }
}

impl PendingRequests {
    /// Sets the id of the next request.
    #[cfg(feature = "http")]
    pub(crate) fn begin_at(&self, first: u64) {
        self.next.store(first, Ordering::Relaxed);
    }

    fn waiting(&self) -> MutexGuard<'_, Senders> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a request. Returns its id and the receiver of its response, or `None` if no more
    /// responses can arrive. Dropping the returned value removes the registration.
    #[cfg(feature = "asking")]
    pub(crate) fn open(self: &Arc<Self>) -> Option<PendingRequest> {
        let id = RequestId::from(self.next.fetch_add(1, Ordering::Relaxed).cast_signed());
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting();
        if waiting.closed {
            return None;
        }
        waiting.by_id.push((id.clone(), sender));
        drop(waiting);
        Some(PendingRequest {
            pending: Arc::clone(self),
            id,
            receiver,
        })
    }

    /// Passes a response to the task that waits for it. Returns `false` if no request has that id.
    pub(crate) fn answer(&self, id: &RequestId, response: ClientResponse) -> bool {
        let sender = self.waiting().take(id);
        sender.is_some_and(|sender| sender.send(response).is_ok())
    }

    /// Ends all waiting requests, because no more responses can arrive.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting();
        waiting.closed = true;
        let senders = std::mem::take(&mut waiting.by_id);
        // Dropping the senders wakes tasks, so the lock is released first.
        drop(waiting);
        drop(senders);
    }
}

/// A request of the server that waits for its response.
#[cfg(feature = "asking")]
pub(crate) struct PendingRequest {
    pending: Arc<PendingRequests>,
    pub(crate) id: RequestId,
    pub(crate) receiver: oneshot::Receiver<ClientResponse>,
}

#[cfg(feature = "asking")]
impl Drop for PendingRequest {
    fn drop(&mut self) {
        self.pending.waiting().take(&self.id);
    }
}
