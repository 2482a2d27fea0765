//! Changes that peers can subscribe to: [`Change`], the [`Bus`] that carries them between
//! processes, and the hub that hands them to the subscribers of this one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

/// Something changed that peers may have subscribed to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The lists of resources and resource templates.
    Resources,
    /// The resource with this URI, or a part of it.
    Resource(String),
}

/// Carries what several processes that serve one endpoint must share.
///
/// The default, without a bus, is one process. An implementation sends what is
/// [published](Bus::publish) to every process that [attached](Bus::attach), the publishing one
/// included, in order for each publisher. Both are called seldom and must not block for long.
pub trait Bus: Send + Sync + 'static {
    /// Tells all attached processes.
    fn publish(&self, message: BusMessage);

    /// Adds a receiver, which is to be dropped when the [`Weak`] is dead.
    fn attach(&self, receiver: Weak<dyn BusReceiver>);
}

/// Receives what a [`Bus`] carries. Implemented by this crate.
pub trait BusReceiver: Send + Sync {
    /// Takes one message. Does not block.
    fn receive(&self, message: BusMessage);
}

/// What a [`Bus`] carries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BusMessage {
    /// Something changed.
    Change(Change),
    /// A legacy client answered a request that another process may have sent.
    Answer {
        /// The session.
        session: String,
        /// The whole message, as it came.
        message: Vec<u8>,
    },
    /// A legacy client cancelled a request that another process may be serving.
    Cancel {
        /// The session.
        session: String,
        /// The request.
        request: mcp_types::RequestId,
    },
    /// A session ended.
    SessionEnded {
        /// The session.
        session: String,
    },
    /// What a session established changed, and is to change in copies of it.
    SessionChanged {
        /// The session.
        session: String,
        /// What changed, a JSON text of this crate's.
        value: Vec<u8>,
    },
    /// A client opened a stream for announcements to a session. Other processes end theirs: a
    /// message is not sent twice.
    Listening {
        /// The session.
        session: String,
        /// The stream.
        stream: String,
    },
    /// URLs of a resource are taken back.
    #[cfg(feature = "https-url")]
    UrlsRevoked {
        /// The resource.
        uri: String,
        /// Those that were issued until then, in milliseconds since 1970. It may lie in the
        /// future: clocks differ.
        until: u64,
    },
}

/// What a subscriber wants to hear of.
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
    /// Adds a subscriber, until it is dropped.
    pub(crate) fn subscribe(
        &self,
        interest: Interest,
        wants: Box<dyn Fn(&str) -> bool + Send + Sync>,
    ) -> Arc<Subscriber> {
        let subscriber = Arc::new(Subscriber {
            interest,
            wants,
            pending: Mutex::default(),
            woken: Notify::new(),
        });
        let mut subscribers = self
            .subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Sweeping when the list would grow, and then making room for as many as there are, keeps
        // the cost of a subscription constant.
        if subscribers.len() == subscribers.capacity() {
            sweep(&mut subscribers);
            let living = subscribers.len();
            subscribers.reserve(living + 1);
        }
        subscribers.push(Arc::downgrade(&subscriber));
        subscriber
    }

    /// Marks the change for everyone who wants it. Never blocks, whoever is slow.
    pub(crate) fn tell(&self, change: &Change) {
        let subscribers: Vec<_> = {
            let mut all = self
                .subscribers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            sweep(&mut all);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        for subscriber in subscribers {
            subscriber.mark(change);
        }
    }
}

/// Lets go of subscribers that are gone.
fn sweep(subscribers: &mut Vec<Weak<Subscriber>>) {
    subscribers.retain(|subscriber| subscriber.strong_count() > 0);
}

/// One peer's subscription. Changes that it has not been told of yet are kept once each, so that
/// a burst costs a slow peer one notification and us no memory.
pub(crate) struct Subscriber {
    interest: Interest,
    wants: Box<dyn Fn(&str) -> bool + Send + Sync>,
    pending: Mutex<Pending>,
    woken: Notify,
}

#[derive(Default)]
struct Pending {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Not bounded but by how many resources there are, so no list.
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
            Change::Resource(uri) => (self.wants)(uri),
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
        self.woken.notify_one();
    }

    /// The next change that the peer has not been told of. Safe to drop and call again.
    pub(crate) async fn next(&self) -> Change {
        loop {
            if let Some(change) = self.take() {
                return change;
            }
            self.woken.notified().await;
        }
    }

    /// Waits for a change without taking it. Safe to drop and call again.
    #[cfg(feature = "versioned-resources")]
    pub(crate) async fn ready(&self) {
        while self.pending().is_empty() {
            self.woken.notified().await;
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next change that the peer has not been told of, if there is one.
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
