//! Changes that peers can subscribe to: [`Change`], and the [`Hub`] that passes them to the
//! subscribers of this process.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::ops::BitOr;
use std::sync::{Arc, Mutex, Weak};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::util::lock::lock;
use crate::util::uri_set::UriSet;
use crate::util::uri_syntax::make_canonical;

/// The maximum size of the params of pending changes that a subscriber keeps, in bytes. Changes
/// beyond it are announced without params.
const PENDING_PARAMS: usize = 64 << 10;

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
        let mut subscribers = lock(&self.subscribers);
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
    pub(crate) fn publish(&self, announced: impl Into<Announced>) {
        let Announced {
            mut change, params, ..
        } = announced.into();
        if let Change::Resource(uri) = &mut change {
            make_canonical(uri);
        }
        for subscriber in self.wanting(self.bit(&change)) {
            subscriber.mark(&change, &params);
        }
    }

    /// Removes waiting changes of resources whose definition is about to be removed, because nothing
    /// would decide any more who may know of them.
    pub(crate) fn withdraw(&self, is_removed: impl Fn(&str) -> bool) {
        for subscriber in self.wanting(u64::MAX) {
            let mut pending = lock(&subscriber.pending);
            let mut freed = 0;
            pending.changes.retain(|change, params| {
                let is_kept = !matches!(change, Change::Resource(uri) if is_removed(uri));
                freed += if is_kept { 0 } else { params_bytes(params) };
                is_kept
            });
            pending.bytes -= freed;
            let unknown = &mut pending.unknown;
            unknown.retain(|change| !matches!(change, Change::Resource(uri) if is_removed(uri)));
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
        let mut all = lock(&self.subscribers);
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
    /// Sorted, because only the number of resources bounds it. Lists come before resources.
    changes: BTreeMap<Change, ChangeParams>,
    /// The size of the params in bytes.
    bytes: usize,
    /// Those that may not have happened.
    unknown: BTreeSet<Change>,
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
            self.mark(&change, &None);
        }
        for uri in self.watched.all() {
            let change = Change::Resource(uri);
            lock(&self.pending).unknown.insert(change.clone());
            self.mark(&change, &None);
        }
    }

    pub(crate) fn mark(&self, change: &Change, params: &ChangeParams) {
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
            let mut pending = lock(&self.pending);
            let bytes = params_bytes(params);
            let params = if pending.bytes + bytes <= PENDING_PARAMS {
                params.clone()
            } else {
                tracing::debug!("a client reads slowly: a change is announced without its params");
                None
            };
            pending.bytes += params_bytes(&params);
            let is_replaced = params.is_some();
            let former = add_pending(&mut pending.changes, change.clone(), params);
            if let Some(former) = former.filter(|_| is_replaced) {
                pending.bytes -= params_bytes(&former);
            }
        }
        self.changed.notify_one();
    }

    /// Waits for the next pending change and removes it. Cancel safe.
    pub(crate) async fn next(&self) -> Announced {
        loop {
            if let Some(change) = self.take() {
                return change;
            }
            self.changed.notified().await;
        }
    }

    /// Waits for a pending change without removing it. Cancel safe.
    #[cfg(feature = "proposals")]
    pub(crate) async fn ready(&self) {
        while lock(&self.pending).changes.is_empty() {
            self.changed.notified().await;
        }
    }

    /// Removes and returns the next pending change, if there is one.
    pub(crate) fn take(&self) -> Option<Announced> {
        let mut pending = lock(&self.pending);
        let (change, params) = pending.changes.pop_first()?;
        pending.bytes -= params_bytes(&params);
        let is_unknown = pending.unknown.remove(&change);
        Some(Announced {
            change,
            params,
            is_unknown,
        })
    }
}

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

/// A change, and what the params of its notification have beside it.
#[derive(Clone, Debug)]
pub(crate) struct Announced {
    pub(crate) change: Change,
    pub(crate) params: ChangeParams,
    /// `true` if the server does not know what changed, for example after a gap in the messages of
    /// other processes, and therefore announces all subscribed resources. This says nothing about any
    /// of them, so it is also sent to clients that may not read the resource.
    pub(crate) is_unknown: bool,
}

impl Announced {
    /// A change with these params.
    pub(crate) fn new(change: Change, params: ChangeParams) -> Self {
        Self {
            change,
            params,
            is_unknown: false,
        }
    }

    /// Returns the announcement for a client that may not read the resource; `None` if it must not be
    /// notified.
    pub(crate) fn for_everybody(self) -> Option<Self> {
        self.is_unknown.then_some(Self {
            params: None,
            ..self
        })
    }
}

/// Members of params, such as `_meta`: the text of an object, which all subscribers share.
pub(crate) type ChangeParams = Option<Arc<RawValue>>;

impl From<Change> for Announced {
    fn from(change: Change) -> Self {
        Self::new(change, None)
    }
}

/// Adds a change to those that wait. A change that already waits gets the params of the newest
/// announcement that has any.
///
/// Returns the former entry, if there was one.
pub(crate) fn add_pending(
    pending: &mut BTreeMap<Change, ChangeParams>,
    change: Change,
    params: ChangeParams,
) -> Option<ChangeParams> {
    match pending.entry(change) {
        Entry::Vacant(entry) => {
            entry.insert(params);
            None
        }
        Entry::Occupied(mut entry) if params.is_some() => Some(entry.insert(params)),
        Entry::Occupied(entry) => Some(entry.get().clone()),
    }
}

/// Returns the size of params in bytes.
pub(crate) fn params_bytes(params: &ChangeParams) -> usize {
    params.as_ref().map_or(0, |params| params.get().len())
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn uri(at: usize) -> String {
        format!("test://{at}")
    }

    fn taken(subscriber: &Subscriber) -> Vec<Change> {
        std::iter::from_fn(|| subscriber.take().map(|taken| taken.change)).collect()
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

    #[test]
    fn params_of_pending_changes_are_bounded_and_the_newest_win() {
        let text = |text: String| Some(Arc::from(RawValue::from_string(text).expect("JSON")));
        let large = |mark| text(format!(r#"{{"{mark}":"{}"}}"#, "x".repeat(40_000)));
        let interest = Interest {
            tools: true,
            prompts: true,
            resources: true,
        };
        let subscriber = Subscriber::new(interest, Box::new(UriSet::default()));
        subscriber.mark(&Change::Tools, &large("old"));
        subscriber.mark(&Change::Prompts, &large("beyond"));
        subscriber.mark(&Change::Tools, &text(r#"{"a":1}"#.to_owned()));
        subscriber.mark(&Change::Tools, &None);
        subscriber.mark(&Change::Resources, &large("fits"));
        let taken: Vec<_> = std::iter::from_fn(|| subscriber.take())
            .map(|taken| params_bytes(&taken.params))
            .collect();
        assert_eq!(taken, [7, 0, 40_000 + r#"{"fits":""}"#.len()]);
        assert_eq!(lock(&subscriber.pending).bytes, 0);
    }
}
