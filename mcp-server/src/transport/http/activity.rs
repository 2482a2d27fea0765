//! [`Activity`]: whether a connection is in use, shared by the task that serves it and the task
//! that accepts connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use crate::protocol::limits::Limits;
use crate::transport::http::peer_table::Idle;

/// Counts events of all connections, so that they can be ordered without reading a clock.
pub(crate) type EventCounter = Arc<AtomicU64>;

/// The activity of a connection.
#[derive(Debug)]
pub(crate) struct Activity {
    /// The number of requests whose response was not sent completely.
    in_flight: AtomicUsize,
    /// The event at which the connection became idle.
    idle_since: AtomicU64,
    /// Whether the head of a request has arrived.
    has_request: AtomicBool,
    /// Notified when the head of the first request has arrived.
    first_request: Notify,
    /// Whether a request was handled in the current poll of the connection.
    has_had_turn: AtomicBool,
    /// Whether another request waits for the next poll.
    has_waiting: AtomicBool,
    /// Whether the client disconnected before the body of its request was complete.
    is_disconnected: AtomicBool,
    /// Whether the body of a request was dropped before its end.
    has_unread_body: AtomicBool,
    /// The number of complete responses of which HTTP/2 still buffers bytes.
    unsent: AtomicUsize,
    /// The number of such responses that were sent.
    sent: AtomicUsize,
    events: EventCounter,
    evicted: Notify,
}

/// Why the server closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// No request arrived in time.
    NoRequest,
    /// The connection was idle for too long.
    Idle,
    /// The client does not read its responses.
    Unread,
    /// A new connection replaces it.
    Evicted,
}

impl Activity {
    pub(crate) fn new(events: &EventCounter) -> Arc<Self> {
        Arc::new(Self {
            in_flight: AtomicUsize::new(0),
            idle_since: AtomicU64::new(events.fetch_add(1, Ordering::Relaxed)),
            has_request: AtomicBool::new(false),
            first_request: Notify::new(),
            has_had_turn: AtomicBool::new(false),
            has_waiting: AtomicBool::new(false),
            is_disconnected: AtomicBool::new(false),
            has_unread_body: AtomicBool::new(false),
            unsent: AtomicUsize::new(0),
            sent: AtomicUsize::new(0),
            events: Arc::clone(events),
            evicted: Notify::new(),
        })
    }

    /// Counts a request until the returned guard is dropped.
    pub(crate) fn start_request(self: &Arc<Self>) -> InFlightRequest {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        if !self.has_request.load(Ordering::Relaxed) {
            self.has_request.store(true, Ordering::Release);
            self.first_request.notify_one();
        }
        InFlightRequest {
            activity: Arc::clone(self),
            is_unsent: AtomicBool::new(false),
        }
    }

    /// Returns `true` if the head of a request has arrived.
    pub(super) fn has_request(&self) -> bool {
        self.has_request.load(Ordering::Acquire)
    }

    /// Waits until the head of a request has arrived. For one task at a time.
    pub(super) async fn wait_first_request(&self) {
        // `Notify` stores the notification if it is sent before this waits.
        if !self.has_request() {
            self.first_request.notified().await;
        }
    }

    /// Marks the start of a poll of an HTTP/1.1 connection. One request is handled in each poll.
    pub(super) fn start_turn(&self) {
        let has_had_turn = self.has_waiting.load(Ordering::Relaxed);
        self.has_had_turn.store(has_had_turn, Ordering::Relaxed);
        self.has_waiting.store(false, Ordering::Relaxed);
    }

    /// Returns `true` if a request can be handled in the current poll of the connection. Otherwise
    /// it waits for the next poll: a client that sends very many requests at once must not delay
    /// those of other connections.
    pub(super) fn take_turn(&self) -> bool {
        if self.has_had_turn.load(Ordering::Relaxed) {
            self.has_waiting.store(true, Ordering::Relaxed);
            return false;
        }
        self.has_had_turn.store(true, Ordering::Relaxed);
        true
    }

    /// Marks the connection as one whose client disconnected before the body of its request was
    /// complete. Called while the connection is polled.
    pub(super) fn set_disconnected(&self) {
        self.is_disconnected.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if [`set_disconnected`](Self::set_disconnected) was called.
    pub(super) fn is_disconnected(&self) -> bool {
        self.is_disconnected.load(Ordering::Relaxed)
    }

    /// Records that the body of a request was dropped before its end.
    pub(super) fn set_unread_body(&self) {
        self.has_unread_body.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if [`set_unread_body`](Self::set_unread_body) was called.
    pub(super) fn has_unread_body(&self) -> bool {
        self.has_unread_body.load(Ordering::Relaxed)
    }

    /// Tells the task that serves the connection to close it.
    pub(crate) fn evict(&self) {
        self.evicted.notify_one();
    }

    /// Returns the number of buffered responses sent so far, or `None` if HTTP/2 buffers none.
    fn unsent(&self) -> Option<usize> {
        let is_buffering = self.unsent.load(Ordering::Acquire) > 0;
        is_buffering.then(|| self.sent.load(Ordering::Acquire))
    }

    /// Waits until the connection has to be closed. `deadline` applies to the first request.
    pub(crate) async fn overdue(&self, deadline: Instant, limits: &Limits) -> CloseReason {
        tokio::select! {
            biased;
            () = self.evicted.notified() => return CloseReason::Evicted,
            () = sleep_until(deadline) => {}
        }
        if !self.has_request() {
            return CloseReason::NoRequest;
        }
        let interval = limits.connection_idle_time.min(limits.write_time);
        let (mut idle_since, mut idle_for) = (self.idle_since(), Duration::ZERO);
        let mut unsent = self.unsent();
        loop {
            tokio::select! {
                biased;
                () = self.evicted.notified() => return CloseReason::Evicted,
                () = sleep(interval) => {}
            }
            let now = self.idle_since();
            if now.is_some() && now == idle_since {
                idle_for += interval;
                if idle_for >= limits.connection_idle_time {
                    return CloseReason::Idle;
                }
            } else {
                (idle_since, idle_for) = (now, Duration::ZERO);
            }
            let before = unsent;
            unsent = self.unsent();
            if unsent.is_some() && unsent == before {
                return CloseReason::Unread;
            }
        }
    }
}

impl Idle for Arc<Activity> {
    type Since = u64;

    fn idle_since(&self) -> Option<u64> {
        self.as_ref().idle_since()
    }
}

impl Activity {
    /// Returns the event at which the connection became idle, or `None` while a request is in
    /// flight.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        let idle = self.in_flight.load(Ordering::Acquire) == 0;
        idle.then(|| self.idle_since.load(Ordering::Acquire))
    }
}

/// A guard for a request whose response was not sent completely.
#[derive(Debug)]
pub(crate) struct InFlightRequest {
    activity: Arc<Activity>,
    is_unsent: AtomicBool,
}

impl InFlightRequest {
    /// Marks the response as complete, while HTTP/2 still buffers bytes of it.
    pub(crate) fn set_unsent(&self) {
        if !self.is_unsent.swap(true, Ordering::AcqRel) {
            self.activity.unsent.fetch_add(1, Ordering::AcqRel);
        }
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        let activity = &self.activity;
        if *self.is_unsent.get_mut() {
            activity.unsent.fetch_sub(1, Ordering::AcqRel);
            activity.sent.fetch_add(1, Ordering::AcqRel);
        }
        // Stored before the count changes, so that a task that reads 0 also reads this event.
        let event = activity.events.fetch_add(1, Ordering::Relaxed);
        activity.idle_since.store(event, Ordering::Release);
        activity.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}
