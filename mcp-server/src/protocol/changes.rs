//! Changes that peers can subscribe to: [`Change`], and the [`Hub`] that passes them to the
//! subscribers of this process.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::BitOr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::util::uri_set::UriSet;
use crate::util::uri_syntax::make_canonical;

/// A change that peers can subscribe to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools changed.
    Tools,
    /// The list of prompts changed.
    Prompts,
    /// The lists of resources and resource templates changed.
    Resources,
    /// The resource with this URI, or a part of it, changed.
    Resource(String),
}

/// The lists whose changes a subscriber wants to receive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interest {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

/// The subscribers of this process.
#[derive(Default)]
pub(crate) struct Hub {
    subscribers: Mutex<Vec<SubscriberEntry>>,
    hasher: RandomState,
}

/// A subscriber, and a bit for each change that it may want, see [`Hub::bit`].
///
/// With thousands of subscribers, most of the time of a change would be spent on reading the memory
/// of each of them. The bits are in one piece of memory, and exclude nearly all that do not want the
/// change.
struct SubscriberEntry {
    wanted: u64,
    subscriber: Weak<Subscriber>,
}

/// The bits of changes of lists. The others are those of resources.
const LISTS: u64 = 0b111;

impl Hub {
    /// Adds a subscriber, which is removed when it is dropped.
    pub(crate) fn subscribe(
        &self,
        interest: Interest,
        watched: Box<dyn Watched>,
    ) -> Arc<Subscriber> {
        let lists = [
            (interest.tools, Change::Tools),
            (interest.prompts, Change::Prompts),
            (interest.resources, Change::Resources),
        ];
        let lists = lists.iter().filter(|(wants, _)| *wants);
        let lists = lists
            .map(|(_, change)| self.bit(change))
            .fold(0, BitOr::bitor);
        // Any resource may be added to a set that changes.
        let resources = watched.fixed().map_or(!LISTS, |uris| {
            let bits = uris.iter().map(|uri| self.resource_bit(uri));
            bits.fold(0, BitOr::bitor)
        });
        let subscriber = Subscriber::new(interest, watched);
        let mut subscribers = self
            .subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Removing dropped subscribers only when the list would grow, and then doubling its
        // capacity, keeps the amortized cost of a subscription constant.
        if subscribers.len() == subscribers.capacity() {
            remove_dropped(&mut subscribers);
            let len = subscribers.len();
            subscribers.reserve(len + 1);
        }
        subscribers.push(SubscriberEntry {
            wanted: lists | resources,
            subscriber: Arc::downgrade(&subscriber),
        });
        subscriber
    }

    /// Passes a change to the subscribers that want it. Never blocks, even if a peer is slow.
    pub(crate) fn publish(&self, mut change: Change) {
        if let Change::Resource(uri) = &mut change {
            make_canonical(uri);
        }
        for subscriber in self.wanting(self.bit(&change)) {
            subscriber.mark(&change);
        }
    }

    /// Passes every change that a subscriber wants to it, because it is not known what changed.
    pub(crate) fn publish_everything(&self) {
        for subscriber in self.wanting(u64::MAX) {
            subscriber.mark_everything();
        }
    }

    /// Returns the bit of a change. Many resources share a bit.
    fn bit(&self, change: &Change) -> u64 {
        match change {
            Change::Tools => 1,
            Change::Prompts => 1 << 1,
            Change::Resources => 1 << 2,
            Change::Resource(uri) => self.resource_bit(uri),
        }
    }

    fn resource_bit(&self, uri: &str) -> u64 {
        let first = LISTS.count_ones();
        1 << (u64::from(first) + self.hasher.hash_one(uri) % u64::from(u64::BITS - first))
    }

    /// Returns the subscribers that may want a change with one of these bits.
    fn wanting(&self, bits: u64) -> Vec<Arc<Subscriber>> {
        let mut all = self
            .subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let wanting = all.iter().filter(|entry| entry.wanted & bits != 0);
        let wanting: Vec<_> = wanting.map(|entry| entry.subscriber.upgrade()).collect();
        if wanting.iter().any(Option::is_none) {
            remove_dropped(&mut all);
        }
        wanting.into_iter().flatten().collect()
    }
}

/// The resources that a subscriber watches.
pub(crate) trait Watched: Send + Sync {
    /// Returns `true` if a canonical URI is watched.
    fn contains(&self, uri: &str) -> bool;

    /// Returns the watched URIs.
    fn all(&self) -> Vec<String>;

    /// Returns the watched URIs, canonical, if they never change.
    fn fixed(&self) -> Option<&[String]> {
        None
    }
}

impl Watched for UriSet {
    fn contains(&self, uri: &str) -> bool {
        self.contains(uri)
    }

    fn all(&self) -> Vec<String> {
        self.all().to_vec()
    }

    fn fixed(&self) -> Option<&[String]> {
        Some(self.all())
    }
}

/// Removes subscribers that were dropped.
fn remove_dropped(subscribers: &mut Vec<SubscriberEntry>) {
    subscribers.retain(|entry| entry.subscriber.strong_count() > 0);
}

/// The subscription of one peer. Each pending change is stored once, so that a burst of changes
/// costs a slow peer one notification and the server no memory.
pub(crate) struct Subscriber {
    interest: Interest,
    watched: Box<dyn Watched>,
    pending: Mutex<Pending>,
    changed: Notify,
}

#[derive(Default)]
struct Pending {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// A set, because only the number of resources bounds it.
    updated: BTreeSet<String>,
}

impl Pending {
    #[cfg(feature = "versioned-resources")]
    fn is_empty(&self) -> bool {
        !(self.tools || self.prompts || self.resources) && self.updated.is_empty()
    }
}

impl Subscriber {
    pub(crate) fn new(interest: Interest, watched: Box<dyn Watched>) -> Arc<Self> {
        Arc::new(Self {
            interest,
            watched,
            pending: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// Marks every change that the subscriber wants.
    pub(crate) fn mark_everything(&self) {
        for change in [Change::Tools, Change::Prompts, Change::Resources] {
            self.mark(&change);
        }
        for uri in self.watched.all() {
            self.mark(&Change::Resource(uri));
        }
    }

    pub(crate) fn mark(&self, change: &Change) {
        let wanted = match change {
            Change::Tools => self.interest.tools,
            Change::Prompts => self.interest.prompts,
            Change::Resources => self.interest.resources,
            Change::Resource(uri) => self.watched.contains(uri),
        };
        if !wanted {
            return;
        }
        {
            let mut pending = self.pending();
            match change {
                Change::Tools => pending.tools = true,
                Change::Prompts => pending.prompts = true,
                Change::Resources => pending.resources = true,
                Change::Resource(uri) => {
                    pending.updated.insert(uri.clone());
                }
            }
        }
        self.changed.notify_one();
    }

    /// Waits for the next pending change and removes it. Cancel safe.
    pub(crate) async fn next(&self) -> Change {
        loop {
            if let Some(change) = self.take() {
                return change;
            }
            self.changed.notified().await;
        }
    }

    /// Waits for a pending change without removing it. Cancel safe.
    #[cfg(feature = "versioned-resources")]
    pub(crate) async fn ready(&self) {
        while self.pending().is_empty() {
            self.changed.notified().await;
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes and returns the next pending change, if there is one.
    pub(crate) fn take(&self) -> Option<Change> {
        let mut pending = self.pending();
        if std::mem::take(&mut pending.tools) {
            Some(Change::Tools)
        } else if std::mem::take(&mut pending.prompts) {
            Some(Change::Prompts)
        } else if std::mem::take(&mut pending.resources) {
            Some(Change::Resources)
        } else {
            pending.updated.pop_first().map(Change::Resource)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(at: usize) -> String {
        format!("test://{at}")
    }

    fn taken(subscriber: &Subscriber) -> Vec<Change> {
        std::iter::from_fn(|| subscriber.take()).collect()
    }

    #[test]
    fn each_change_reaches_the_subscribers_that_want_it() {
        let hub = Hub::default();
        let of_resources: Vec<_> = (0..200)
            .map(|at| {
                let mut uris = UriSet::default();
                uris.insert(&uri(at).replace("test", "TEST"));
                hub.subscribe(Interest::default(), Box::new(uris))
            })
            .collect();
        let interest = Interest {
            prompts: true,
            ..Interest::default()
        };
        let of_prompts = hub.subscribe(interest, Box::new(UriSet::default()));
        for at in 0..of_resources.len() {
            hub.publish(Change::Resource(uri(at)));
        }
        for change in [Change::Tools, Change::Prompts, Change::Resources] {
            hub.publish(change);
        }
        for (at, subscriber) in of_resources.iter().enumerate() {
            assert_eq!(taken(subscriber), [Change::Resource(uri(at))]);
        }
        assert_eq!(taken(&of_prompts), [Change::Prompts]);
        hub.publish_everything();
        assert_eq!(taken(&of_resources[7]), [Change::Resource(uri(7))]);
    }
}
