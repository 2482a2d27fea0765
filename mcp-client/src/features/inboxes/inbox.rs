//! [`Inboxes`]: the queued events of subscriptions.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{RequestId, SubscriptionFilter};
use tokio::sync::Notify;

use super::event::SubscriptionEvent;
use crate::protocol::error::CallError;
use crate::protocol::limits::Limits;

/// The subscriptions of a connection.
#[derive(Default)]
pub(crate) struct Inboxes {
    all: Mutex<Vec<Arc<Inbox>>>,
}

impl Inboxes {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Inbox>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, inbox: &Arc<Inbox>) {
        self.all().push(Arc::clone(inbox));
    }

    pub(crate) fn remove(&self, inbox: &Arc<Inbox>) {
        self.all().retain(|other| !Arc::ptr_eq(other, inbox));
    }

    /// Returns the inboxes of a subscription. Notifications of revisions without subscriptions have
    /// no id: they go to all inboxes whose filter matches them.
    pub(crate) fn of(
        &self,
        subscription: Option<&RequestId>,
        wanted: impl Fn(&SubscriptionFilter) -> bool,
    ) -> Vec<Arc<Inbox>> {
        let all = self.all();
        let receives = |inbox: &&Arc<Inbox>| match (subscription, inbox.id()) {
            (Some(RequestId::Number(id)), Some(own)) => *id == own,
            (Some(RequestId::String(id)), Some(own)) => id.parse() == Ok(own),
            (None, None) => wanted(&inbox.filter),
            _ => false,
        };
        all.iter().filter(receives).cloned().collect()
    }
}

/// The queued events of one subscription.
pub(crate) struct Inbox {
    pub(crate) filter: SubscriptionFilter,
    state: Mutex<InboxState>,
    added: Notify,
    acknowledged: Notify,
    /// The maximum number of queued events.
    limit: usize,
    /// The maximum size of their messages in bytes.
    byte_limit: usize,
}

#[derive(Default)]
struct InboxState {
    /// The id of the request that opened the subscription; absent in revisions without it.
    id: Option<i64>,
    /// Each with the bytes of its message.
    events: VecDeque<(SubscriptionEvent, usize)>,
    /// The sum of these bytes.
    bytes: usize,
    /// The end of the subscription, until it is returned to the program.
    end: Option<CallError>,
    /// Whether the end was returned.
    ended: bool,
}

impl Inbox {
    pub(crate) fn new(filter: SubscriptionFilter, limits: &Limits) -> Self {
        Self {
            filter,
            state: Mutex::default(),
            added: Notify::new(),
            acknowledged: Notify::new(),
            limit: limits.pending_events.max(1),
            byte_limit: limits.pending_bytes,
        }
    }

    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn id(&self) -> Option<i64> {
        self.state().id
    }

    /// Sets the id of the request that opened the subscription.
    pub(crate) fn set_id(&self, id: Option<i64>) {
        self.state().id = id;
    }

    /// Adds an event from a message of this many bytes, unless the same change is already queued.
    pub(crate) fn add(&self, event: SubscriptionEvent, bytes: usize) {
        let listening = matches!(event, SubscriptionEvent::Listening(_));
        self.enqueue(event, bytes);
        self.added.notify_one();
        if listening {
            self.acknowledged.notify_one();
        }
    }

    fn enqueue(&self, event: SubscriptionEvent, bytes: usize) {
        let mut state = self.state();
        let same = state
            .events
            .iter()
            .position(|(it, _)| it.is_same_change(&event));
        if same.is_some() && !event.replaces() {
            return;
        }
        if let Some((_, old)) = same.and_then(|at| state.events.get(at)) {
            let others = state.bytes - old;
            // A single event is kept even if it exceeds the limit; `message_bytes` bounds it.
            if others == 0 || others.saturating_add(bytes) <= self.byte_limit {
                state.bytes = others + bytes;
                if let Some(queued) = same.and_then(|at| state.events.get_mut(at)) {
                    *queued = (event, bytes);
                }
                return;
            }
        } else {
            let fits = state.bytes == 0 || state.bytes.saturating_add(bytes) <= self.byte_limit;
            if state.events.len() < self.limit && fits {
                state.bytes += bytes;
                state.events.push_back((event, bytes));
                return;
            }
        }
        let missed = |(it, _): &(SubscriptionEvent, usize)| matches!(it, SubscriptionEvent::Missed);
        // One more than the limit, and only once.
        if !state.events.iter().any(missed) {
            state.events.push_back((SubscriptionEvent::Missed, 0));
        }
    }

    /// Ends the subscription: no event follows.
    pub(crate) fn end(&self, reason: CallError) {
        self.state().end = Some(reason);
        self.added.notify_one();
    }

    /// Waits until the server has acknowledged the subscription.
    pub(crate) async fn acknowledged(&self) {
        self.acknowledged.notified().await;
    }

    pub(crate) async fn next(&self) -> Option<Result<SubscriptionEvent, CallError>> {
        loop {
            {
                let mut state = self.state();
                if let Some((event, bytes)) = state.events.pop_front() {
                    state.bytes -= bytes;
                    return Some(Ok(event));
                }
                if state.ended {
                    return None;
                }
                if let Some(end) = state.end.take() {
                    state.ended = true;
                    return Some(Err(end));
                }
            }
            self.added.notified().await;
        }
    }
}

/// Counts the subscriptions to each resource.
#[derive(Default)]
pub(crate) struct WatchCounts {
    counts: Mutex<HashMap<String, usize>>,
}

impl WatchCounts {
    pub(crate) fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
