//! [`PendingRequests`]: requests to the peer that wait for a response.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The requests of one end of a connection that wait for a response.
///
/// `R` is a response, `E` the reason why none can arrive, and `D` data that is kept with each
/// request.
pub struct PendingRequests<R, E, D = ()> {
    next: AtomicI64,
    table: Mutex<Table<R, E, D>>,
}

struct Table<R, E, D> {
    slots: HashMap<i64, Slot<R, E, D>>,
    /// Set when the connection is closed: no response will arrive.
    closed: Option<E>,
}

struct Slot<R, E, D> {
    sender: oneshot::Sender<Result<R, E>>,
    data: D,
}

/// A registered request. Dropping this removes it from the table.
pub struct PendingRequest<R, E, D = ()> {
    requests: Arc<PendingRequests<R, E, D>>,
    /// The id under which the request is sent.
    pub id: i64,
    /// Receives the response, or the reason why none can arrive.
    pub response: oneshot::Receiver<Result<R, E>>,
}

impl<R, E, D> Default for PendingRequests<R, E, D> {
    /// Creates a table whose first request has the id 0.
    fn default() -> Self {
        Self {
            next: AtomicI64::new(0),
            table: Mutex::new(Table {
                slots: HashMap::new(),
                closed: None,
            }),
        }
    }
}

impl<R, E, D> PendingRequests<R, E, D> {
    /// Sets the id of the next request.
    pub fn begin_at(&self, first: i64) {
        self.next.store(first, Ordering::Relaxed);
    }

    fn table(&self) -> MutexGuard<'_, Table<R, E, D>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers a response. Returns `false` if no request with this id is pending.
    pub fn complete(&self, id: i64, response: R) -> bool {
        let slot = self.table().slots.remove(&id);
        slot.is_some_and(|slot| slot.sender.send(Ok(response)).is_ok())
    }

    /// Returns `true` if a request with this id is pending.
    pub fn is_pending(&self, id: i64) -> bool {
        self.table().slots.contains_key(&id)
    }

    /// Returns `true` once [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.table().closed.is_some()
    }
}

impl<R, E: Clone, D> PendingRequests<R, E, D> {
    /// Registers a request under a new id. If the table is closed, the request fails at once.
    pub fn register(self: &Arc<Self>, data: D) -> PendingRequest<R, E, D> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, response) = oneshot::channel();
        let mut table = self.table();
        if let Some(reason) = &table.closed {
            // Cannot fail: the receiver is still here.
            let _ = sender.send(Err(reason.clone()));
        } else {
            table.slots.insert(id, Slot { sender, data });
        }
        drop(table);
        PendingRequest {
            requests: Arc::clone(self),
            id,
            response,
        }
    }

    /// Fails all requests that are pending now. Later ones may succeed.
    pub fn fail_all(&self, reason: impl Into<E>) {
        let slots = std::mem::take(&mut self.table().slots);
        fail(slots, &reason.into());
    }

    /// Fails all requests that are pending now, and all later ones with the reason of the first
    /// call.
    pub fn close(&self, reason: impl Into<E>) {
        let reason = reason.into();
        let slots = {
            let mut table = self.table();
            table.closed.get_or_insert_with(|| reason.clone());
            std::mem::take(&mut table.slots)
        };
        fail(slots, &reason);
    }
}

impl<R, E, D: Clone> PendingRequests<R, E, D> {
    /// Returns the data of a pending request.
    pub fn data(&self, id: i64) -> Option<D> {
        self.table().slots.get(&id).map(|slot| slot.data.clone())
    }
}

/// Sends the reason to all requests. Called without the lock, because sending wakes tasks.
fn fail<R, E: Clone, D>(slots: HashMap<i64, Slot<R, E, D>>, reason: &E) {
    for slot in slots.into_values() {
        // Fails if the caller has dropped its future, which is fine.
        let _ = slot.sender.send(Err(reason.clone()));
    }
}

impl<R, E, D> PendingRequest<R, E, D> {
    /// Returns `true` if nothing was delivered, so that the peer may still work on the request.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.requests.is_pending(self.id)
    }
}

impl<R, E, D> Drop for PendingRequest<R, E, D> {
    fn drop(&mut self) {
        let slot = self.requests.table().slots.remove(&self.id);
        // Its data is dropped without the lock.
        drop(slot);
    }
}

impl<R, E, D> fmt::Debug for PendingRequests<R, E, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pending = self.table().slots.len();
        f.debug_struct("PendingRequests")
            .field("pending", &pending)
            .finish_non_exhaustive()
    }
}

impl<R, E, D> fmt::Debug for PendingRequest<R, E, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingRequest")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    type Requests = PendingRequests<&'static str, &'static str, u8>;

    #[test]
    fn response_reaches_the_request_with_its_id_once() {
        let requests = Arc::<Requests>::default();
        let mut first = requests.register(1);
        let mut second = requests.register(2);
        assert_eq!((first.id, second.id), (0, 1));
        assert_eq!(requests.data(1), Some(2));

        assert!(requests.complete(1, "result"));
        assert!(!requests.complete(1, "again"));
        assert!(!requests.complete(7, "unknown"));
        assert_eq!(second.response.try_recv(), Ok(Ok("result")));
        assert!(!second.is_pending());
        assert_eq!(requests.data(1), None);
        assert_eq!(first.response.try_recv(), Err(TryRecvError::Empty));
        assert!(first.is_pending());
    }

    #[test]
    fn dropped_request_is_not_pending() {
        let requests = Arc::<Requests>::default();
        requests.begin_at(40);
        let request = requests.register(0);
        assert!(requests.is_pending(40));
        drop(request);
        assert!(!requests.is_pending(40));
        assert!(!requests.complete(40, "late"));
    }

    #[test]
    fn fail_all_fails_only_the_requests_of_now() {
        let requests = Arc::<Requests>::default();
        let mut before = [requests.register(0), requests.register(0)];
        requests.fail_all("restarted");
        for request in &mut before {
            assert_eq!(request.response.try_recv(), Ok(Err("restarted")));
            assert!(!request.is_pending());
        }
        let mut after = requests.register(0);
        assert!(after.is_pending() && !requests.is_closed());
        assert!(requests.complete(after.id, "result"));
        assert_eq!(after.response.try_recv(), Ok(Ok("result")));
    }

    #[test]
    fn close_fails_later_requests_with_the_first_reason() {
        let requests = Arc::<Requests>::default();
        let mut before = requests.register(0);
        requests.close("first");
        requests.close("second");
        assert_eq!(before.response.try_recv(), Ok(Err("first")));
        let mut after = requests.register(0);
        assert!(requests.is_closed());
        assert!(!after.is_pending());
        assert_eq!(after.response.try_recv(), Ok(Err("first")));
    }
}
