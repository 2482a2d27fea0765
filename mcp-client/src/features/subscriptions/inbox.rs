//! [`Inboxes`]: what subscriptions have heard and nobody has taken yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{RequestId, SubscriptionFilter};
use tokio::sync::Notify;

use super::SubscriptionEvent;
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

    /// Those that hear what is said to a subscription, or, where the era has no such thing, what
    /// they asked for.
    pub(crate) fn of(
        &self,
        subscription: Option<&RequestId>,
        wanted: impl Fn(&SubscriptionFilter) -> bool,
    ) -> Vec<Arc<Inbox>> {
        let all = self.all();
        let hears = |inbox: &&Arc<Inbox>| match (subscription, inbox.id()) {
            (Some(RequestId::Number(said)), Some(own)) => *said == own,
            (Some(RequestId::String(said)), Some(own)) => said.parse() == Ok(own),
            (None, None) => wanted(&inbox.filter),
            _ => false,
        };
        all.iter().filter(hears).cloned().collect()
    }
}

/// What one subscription has heard.
pub(crate) struct Inbox {
    pub(crate) filter: SubscriptionFilter,
    heard: Mutex<Heard>,
    added: Notify,
    acknowledged: Notify,
    /// As many events wait.
    limit: usize,
    /// Bytes of the messages that they came in.
    byte_limit: usize,
}

#[derive(Default)]
struct Heard {
    /// The request that it is, in the era that has such requests.
    id: Option<i64>,
    /// Each with the bytes of its message.
    events: VecDeque<(SubscriptionEvent, usize)>,
    /// The sum of these bytes.
    bytes: usize,
    /// How it ended.
    end: Option<Result<(), CallError>>,
    over: bool,
}

impl Inbox {
    pub(crate) fn new(filter: SubscriptionFilter, limits: &Limits) -> Self {
        Self {
            filter,
            heard: Mutex::default(),
            added: Notify::new(),
            acknowledged: Notify::new(),
            limit: limits.pending_events.max(1),
            byte_limit: limits.pending_bytes,
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn id(&self) -> Option<i64> {
        self.heard().id
    }

    /// From now on it is this request.
    pub(crate) fn listen_as(&self, id: Option<i64>) {
        self.heard().id = id;
    }

    /// Adds an event that came in a message of so many bytes, unless the same waits already.
    pub(crate) fn hear(&self, event: SubscriptionEvent, bytes: usize) {
        let listening = matches!(event, SubscriptionEvent::Listening(_));
        self.add(event, bytes);
        self.added.notify_one();
        if listening {
            self.acknowledged.notify_one();
        }
    }

    fn add(&self, event: SubscriptionEvent, bytes: usize) {
        let mut heard = self.heard();
        let same = heard.events.iter().position(|(it, _)| it.says(&event));
        if same.is_some() && !event.replaces() {
            return;
        }
        if let Some((_, old)) = same.and_then(|at| heard.events.get(at)) {
            let others = heard.bytes - old;
            // The only event is kept whatever its size, which `message_bytes` bounds.
            if others == 0 || others.saturating_add(bytes) <= self.byte_limit {
                heard.bytes = others + bytes;
                if let Some(place) = same.and_then(|at| heard.events.get_mut(at)) {
                    *place = (event, bytes);
                }
                return;
            }
        } else {
            let fits = heard.bytes == 0 || heard.bytes.saturating_add(bytes) <= self.byte_limit;
            if heard.events.len() < self.limit && fits {
                heard.bytes += bytes;
                heard.events.push_back((event, bytes));
                return;
            }
        }
        let missed = |(it, _): &(SubscriptionEvent, usize)| matches!(it, SubscriptionEvent::Missed);
        // One more than the limit, and only once.
        if !heard.events.iter().any(missed) {
            heard.events.push_back((SubscriptionEvent::Missed, 0));
        }
    }

    /// Nothing more is heard.
    pub(crate) fn end(&self, how: Result<(), CallError>) {
        self.heard().end = Some(how);
        self.added.notify_one();
    }

    /// Waits for the server's word that it listens.
    pub(crate) async fn acknowledged(&self) {
        self.acknowledged.notified().await;
    }

    pub(crate) async fn next(&self) -> Option<Result<SubscriptionEvent, CallError>> {
        loop {
            {
                let mut heard = self.heard();
                if let Some((event, bytes)) = heard.events.pop_front() {
                    heard.bytes -= bytes;
                    return Some(Ok(event));
                }
                if heard.over {
                    return None;
                }
                if let Some(end) = heard.end.take() {
                    heard.over = true;
                    return end.err().map(Err);
                }
            }
            self.added.notified().await;
        }
    }
}
