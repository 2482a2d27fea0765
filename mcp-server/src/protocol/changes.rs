//! Changes that peers can subscribe to: [`Change`], the [`Bus`] that sends them to other processes,
//! and the [`Hub`] that passes them to the subscribers of this process.

pub(crate) mod bus_codec;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::util::uri_syntax::make_canonical;
use crate::util::utf8_bytes;

/// A change that peers can subscribe to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Sends messages between the processes that serve one endpoint.
///
/// A server that runs in one process needs no bus. An implementation delivers each
/// [published](Bus::publish) message to every process that [attached](Bus::attach) a receiver,
/// including the publishing process. Messages of one publisher must be delivered in order. Both
/// methods are called rarely and must not block for long.
pub trait Bus: Send + Sync + 'static {
    /// Sends a message to all attached processes.
    fn publish(&self, message: BusMessage);

    /// Adds a receiver. Remove it when the [`Weak`] cannot be upgraded any more.
    fn attach(&self, receiver: Weak<dyn BusReceiver>);
}

/// Receives the messages of a [`Bus`]. Implemented by this crate.
pub trait BusReceiver: Send + Sync {
    /// Processes one message. Does not block.
    fn receive(&self, message: BusMessage);
}

/// A message that a [`Bus`] sends to all processes. [`to_bytes`](Self::to_bytes) encodes it.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub enum BusMessage {
    /// A list or resource changed.
    Change(Change),
    /// A legacy client responded to a request that another process may have sent.
    Answer {
        /// The id of the session.
        session: String,
        /// The whole message, unchanged.
        #[serde(with = "utf8_bytes")]
        message: Vec<u8>,
    },
    /// A legacy client cancelled a request that another process may be serving.
    Cancel {
        /// The id of the session.
        session: String,
        /// The id of the request.
        request: mcp_types::RequestId,
    },
    /// A session ended.
    SessionEnded {
        /// The id of the session.
        session: String,
    },
    /// The state of a session changed. Other processes update their copies.
    SessionChanged {
        /// The id of the session.
        session: String,
        /// The change, as JSON text in a private format of this crate.
        #[serde(with = "utf8_bytes")]
        value: Vec<u8>,
    },
    /// A client opened the stream for notifications of a session (by GET). Other processes end
    /// theirs, so that no notification is sent twice.
    Listening {
        /// The id of the session.
        session: String,
        /// The id of the stream.
        stream: String,
    },
    /// The URLs of a resource were revoked.
    #[cfg(feature = "https-url")]
    UrlsRevoked {
        /// The URI of the resource.
        uri: String,
        /// URLs issued up to this time are revoked, in milliseconds since 1970. It may be in the
        /// future, because clocks differ.
        until: u64,
    },
}

impl std::fmt::Debug for BusMessage {
    /// Shows neither ids of sessions, which are secrets of their clients, nor messages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Change(change) => return f.debug_tuple("Change").field(change).finish(),
            Self::Answer { .. } => "Answer",
            Self::Cancel { .. } => "Cancel",
            Self::SessionEnded { .. } => "SessionEnded",
            Self::SessionChanged { .. } => "SessionChanged",
            Self::Listening { .. } => "Listening",
            #[cfg(feature = "https-url")]
            Self::UrlsRevoked { .. } => "UrlsRevoked",
        })
    }
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
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
}

impl Hub {
    /// Adds a subscriber, which is removed when it is dropped.
    pub(crate) fn subscribe(
        &self,
        interest: Interest,
        is_wanted: Box<dyn Fn(&str) -> bool + Send + Sync>,
    ) -> Arc<Subscriber> {
        let subscriber = Arc::new(Subscriber {
            interest,
            is_wanted,
            pending: Mutex::default(),
            changed: Notify::new(),
        });
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
        subscribers.push(Arc::downgrade(&subscriber));
        subscriber
    }

    /// Passes a change to the subscribers that want it. Never blocks, even if a peer is slow.
    pub(crate) fn publish(&self, mut change: Change) {
        if let Change::Resource(uri) = &mut change {
            make_canonical(uri);
        }
        let subscribers: Vec<_> = {
            let mut all = self
                .subscribers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            remove_dropped(&mut all);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        for subscriber in subscribers {
            subscriber.mark(&change);
        }
    }
}

/// Removes subscribers that were dropped.
fn remove_dropped(subscribers: &mut Vec<Weak<Subscriber>>) {
    subscribers.retain(|subscriber| subscriber.strong_count() > 0);
}

/// The subscription of one peer. Each pending change is stored once, so that a burst of changes
/// costs a slow peer one notification and the server no memory.
pub(crate) struct Subscriber {
    interest: Interest,
    is_wanted: Box<dyn Fn(&str) -> bool + Send + Sync>,
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
    fn mark(&self, change: &Change) {
        let wanted = match change {
            Change::Tools => self.interest.tools,
            Change::Prompts => self.interest.prompts,
            Change::Resources => self.interest.resources,
            Change::Resource(uri) => (self.is_wanted)(uri),
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
