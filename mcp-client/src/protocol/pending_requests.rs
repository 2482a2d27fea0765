//! [`PendingRequests`]: requests of the client that wait for a response.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::rpc::{EnvelopeError, ErrorObject};
use mcp_types::{ProgressNotificationParams, RequestId};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::error::TransportError;

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(ErrorObject),
    /// The message has the id of the request, but is malformed.
    Malformed(EnvelopeError),
    Lost(Arc<TransportError>),
}

/// A callback for reports of progress.
pub(crate) type OnProgress = Box<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// Passes reports of progress to a callback, and remembers the time of the last one.
pub(crate) struct Progress {
    callback: OnProgress,
    last: Mutex<Instant>,
}

impl Progress {
    pub(crate) fn new(callback: OnProgress) -> Arc<Self> {
        Arc::new(Self {
            callback,
            last: Mutex::new(Instant::now()),
        })
    }

    /// Returns the time of the last report.
    pub(crate) fn last(&self) -> Instant {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, params: ProgressNotificationParams) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        (self.callback)(params);
    }
}

/// All requests of a connection that wait for a response.
#[derive(Default)]
pub(crate) struct PendingRequests {
    next: AtomicI64,
    table: Mutex<PendingTable>,
}

#[derive(Default)]
struct PendingTable {
    slots: HashMap<i64, Slot>,
    /// Set when the connection is closed: no response will come.
    closed: Option<Arc<TransportError>>,
}

struct Slot {
    reply: oneshot::Sender<Reply>,
    progress: Option<Arc<Progress>>,
}

/// A registered request. Dropping this removes it from the table.
pub(crate) struct PendingRequest {
    requests: Arc<PendingRequests>,
    pub(crate) id: i64,
    pub(crate) reply: oneshot::Receiver<Reply>,
}

impl PendingRequests {
    fn table(&self) -> MutexGuard<'_, PendingTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a request under a new id. On a closed connection it is answered at once.
    pub(crate) fn register(self: &Arc<Self>, progress: Option<Arc<Progress>>) -> PendingRequest {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = oneshot::channel();
        let mut table = self.table();
        if let Some(error) = &table.closed {
            // Cannot fail: the receiver is still here.
            let _ = sender.send(Reply::Lost(Arc::clone(error)));
        } else {
            let slot = Slot {
                reply: sender,
                progress,
            };
            table.slots.insert(id, slot);
        }
        drop(table);
        PendingRequest {
            requests: Arc::clone(self),
            id,
            reply,
        }
    }

    /// Delivers a reply. Returns `false` if no request with this id is pending.
    pub(crate) fn reply(&self, id: &RequestId, reply: Reply) -> bool {
        let Some(id) = number(id) else {
            return false;
        };
        let slot = self.table().slots.remove(&id);
        slot.is_some_and(|slot| slot.reply.send(reply).is_ok())
    }

    /// Returns `true` if the request with the id of a response is pending.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        number(id).is_some_and(|id| self.is_pending(id))
    }

    /// Returns `true` if a request with this id is pending.
    pub(crate) fn is_pending(&self, id: i64) -> bool {
        self.table().slots.contains_key(&id)
    }

    /// Delivers a report of progress. Returns `false` if the request has no callback for it.
    pub(crate) fn progress(&self, id: i64, params: ProgressNotificationParams) -> bool {
        let table = self.table();
        let progress = table.slots.get(&id).map(|slot| slot.progress.clone());
        drop(table);
        let Some(progress) = progress.flatten() else {
            return false;
        };
        progress.report(params);
        true
    }

    /// Returns `true` once [`close`](Self::close) was called.
    pub(crate) fn is_closed(&self) -> bool {
        self.table().closed.is_some()
    }

    /// Fails all requests that are pending now. Later ones may succeed.
    pub(crate) fn fail_all(&self, error: TransportError) {
        let slots = std::mem::take(&mut self.table().slots);
        Self::fail(slots, &Arc::new(error));
    }

    /// Fails all requests that are pending now, and all later ones.
    pub(crate) fn close(&self, error: TransportError) {
        let error = Arc::new(error);
        let slots = {
            let mut table = self.table();
            table.closed.get_or_insert_with(|| Arc::clone(&error));
            std::mem::take(&mut table.slots)
        };
        Self::fail(slots, &error);
    }

    fn fail(slots: HashMap<i64, Slot>, error: &Arc<TransportError>) {
        for slot in slots.into_values() {
            // Fails if the caller has dropped its future, which is fine.
            let _ = slot.reply.send(Reply::Lost(Arc::clone(error)));
        }
    }
}

/// Returns the number of an id of this client. Some servers and gateways turn it into text.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

impl PendingRequest {
    /// Returns `true` if no reply was delivered, so that the server may still work on the request.
    pub(crate) fn is_pending(&self) -> bool {
        self.requests.is_pending(self.id)
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        self.requests.table().slots.remove(&self.id);
    }
}
