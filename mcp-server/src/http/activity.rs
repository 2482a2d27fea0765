//! [`Activity`]: whether a connection is in use, seen by the task that serves it and by the one
//! that accepts others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use super::peer_table::Idle;
use crate::limits::Limits;
use crate::race::{Either, race};

/// Counts events of all connections, so that these can be ordered without reading a clock.
pub(super) type EventCounter = Arc<AtomicU64>;

/// What happens on a connection.
#[derive(Debug)]
pub(super) struct Activity {
    /// Requests whose response has not left completely.
    in_flight: AtomicUsize,
    /// The event at which it became idle.
    idle_since: AtomicU64,
    /// Whether the head of a request has arrived.
    has_begun: AtomicBool,
    /// Notified when it has.
    begun: Notify,
    /// Whether a request is handled in the current poll of the connection.
    has_had_turn: AtomicBool,
    /// Whether another request waits for the next poll.
    has_waiting: AtomicBool,
    /// Responses that are complete, but for bytes that HTTP/2 still holds.
    unsent: AtomicUsize,
    /// How many of those have left.
    sent: AtomicUsize,
    events: EventCounter,
    evicted: Notify,
}

/// Why a connection ends although neither side has closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    /// No request came in time.
    NoRequest,
    /// It was idle for too long.
    Idle,
    /// The client does not read its responses.
    Unread,
    /// A new connection takes its place.
    Evicted,
}

impl Activity {
    pub(super) fn new(events: &EventCounter) -> Arc<Self> {
        Arc::new(Self {
            in_flight: AtomicUsize::new(0),
            idle_since: AtomicU64::new(events.fetch_add(1, Ordering::Relaxed)),
            has_begun: AtomicBool::new(false),
            begun: Notify::new(),
            has_had_turn: AtomicBool::new(false),
            has_waiting: AtomicBool::new(false),
            unsent: AtomicUsize::new(0),
            sent: AtomicUsize::new(0),
            events: Arc::clone(events),
            evicted: Notify::new(),
        })
    }

    /// Notes a request, until its response has left and what is returned is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> InFlightRequest {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        if !self.has_begun.load(Ordering::Relaxed) {
            self.has_begun.store(true, Ordering::Release);
            self.begun.notify_one();
        }
        InFlightRequest {
            activity: Arc::clone(self),
            is_unsent: AtomicBool::new(false),
        }
    }

    /// Returns `true` if the head of a request has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Acquire)
    }

    /// Waits until the head of a request has arrived. For one task at a time.
    pub(super) async fn begun(&self) {
        // The notification is kept if it comes before this waits for it.
        if !self.has_begun() {
            self.begun.notified().await;
        }
    }

    /// Notes that a connection of HTTP/1.1 is polled, in which one request is handled.
    pub(super) fn start_turn(&self) {
        let is_taken = self.has_waiting.load(Ordering::Relaxed);
        self.has_had_turn.store(is_taken, Ordering::Relaxed);
        self.has_waiting.store(false, Ordering::Relaxed);
    }

    /// Returns `true` for a request that can be handled in the current poll of the connection.
    /// Otherwise it has to wait for the next one: a client may send very many requests at once, and
    /// must not keep those of other connections waiting.
    pub(super) fn take_turn(&self) -> bool {
        if self.has_had_turn.load(Ordering::Relaxed) {
            self.has_waiting.store(true, Ordering::Relaxed);
            return false;
        }
        self.has_had_turn.store(true, Ordering::Relaxed);
        true
    }

    /// Asks the task that serves the connection to close it.
    pub(super) fn evict(&self) {
        self.evicted.notify_one();
    }

    /// Where responses wait in the buffers of HTTP/2: how many have left them so far.
    fn unsent(&self) -> Option<usize> {
        let waits = self.unsent.load(Ordering::Acquire) > 0;
        waits.then(|| self.sent.load(Ordering::Acquire))
    }

    /// Resolves when the connection is to be closed. `deadline` is for the first request.
    pub(super) async fn overdue(&self, deadline: Instant, limits: &Limits) -> Overdue {
        if let Either::First(()) = race(self.evicted.notified(), sleep_until(deadline)).await {
            return Overdue::Evicted;
        }
        if !self.has_begun() {
            return Overdue::NoRequest;
        }
        let interval = limits.connection_idle_time.min(limits.write_time);
        let (mut idle_since, mut idle_for) = (self.idle_since(), Duration::ZERO);
        let mut unsent = self.unsent();
        loop {
            if let Either::First(()) = race(self.evicted.notified(), sleep(interval)).await {
                return Overdue::Evicted;
            }
            let now = self.idle_since();
            if now.is_some() && now == idle_since {
                idle_for += interval;
                if idle_for >= limits.connection_idle_time {
                    return Overdue::Idle;
                }
            } else {
                (idle_since, idle_for) = (now, Duration::ZERO);
            }
            let before = unsent;
            unsent = self.unsent();
            if unsent.is_some() && unsent == before {
                return Overdue::Unread;
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
    /// The event since which it is idle; `None` while a request is in flight.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let idle = self.in_flight.load(Ordering::Acquire) == 0;
        idle.then(|| self.idle_since.load(Ordering::Acquire))
    }
}

/// A request whose response has not left completely.
#[derive(Debug)]
pub(crate) struct InFlightRequest {
    activity: Arc<Activity>,
    is_unsent: AtomicBool,
}

impl InFlightRequest {
    /// Notes that the response is complete, and waits for the client in the buffers of HTTP/2.
    pub(super) fn set_unsent(&self) {
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
        // Before the count, so that whoever sees none in flight sees this, too.
        let event = activity.events.fetch_add(1, Ordering::Relaxed);
        activity.idle_since.store(event, Ordering::Release);
        activity.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}
