//! [`Peers`]: counts the requests, bytes and subscriptions of each peer.
//!
//! A [`PeerUsage`] exists only while something is counted for its peer, so the limits of what is
//! counted also bound the table.

pub(crate) mod peer_key;
#[cfg(feature = "http")]
pub(crate) mod permits;
pub(crate) mod retained;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use peer_key::PeerKey;

use crate::protocol::limits::Limits;
use crate::util::lock::lock;

/// A counter with an upper limit.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicUsize);

impl Gauge {
    /// Adds `count`, unless the sum would exceed `limit`. Returns `true` if it was added.
    pub(crate) fn try_add(&self, count: usize, limit: usize) -> bool {
        let added = self.0.fetch_add(count, Ordering::AcqRel);
        let fits = added.saturating_add(count) <= limit;
        if !fits {
            self.0.fetch_sub(count, Ordering::AcqRel);
        }
        fits
    }

    #[cfg(feature = "http")]
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count, Ordering::AcqRel);
    }

    pub(crate) fn subtract(&self, count: usize) {
        self.0.fetch_sub(count, Ordering::AcqRel);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

/// The counters of one peer, or of all peers together.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    pub(crate) subscriptions: Gauge,
    /// Memory of sessions and subscriptions, in bytes.
    pub(crate) retained_bytes: Gauge,
    #[cfg(feature = "http")]
    pub(crate) requests: Gauge,
    #[cfg(feature = "proposals")]
    pub(crate) downloads: Gauge,
    /// Requests whose access tokens are being verified.
    #[cfg(feature = "http")]
    pub(crate) verifications: Gauge,
    /// Requests for public routes whose responses are being computed.
    #[cfg(feature = "http")]
    pub(crate) public_requests: Gauge,
    /// Channels of HTTP+SSE.
    #[cfg(feature = "http")]
    pub(crate) channels: Gauge,
    /// Messages to other processes, of the last [`BUS_PERIOD`](permits::BUS_PERIOD).
    #[cfg(feature = "http")]
    pub(crate) bus_messages: Gauge,
    #[cfg(feature = "http")]
    pub(crate) body_bytes: Gauge,
    #[cfg(feature = "http")]
    pub(crate) queued_bytes: Gauge,
    /// Responses of one text that were not sent yet, without small ones.
    #[cfg(feature = "http")]
    pub(crate) unread_responses: Gauge,
}

/// The counters of one peer.
#[derive(Debug)]
pub(crate) struct PeerUsage {
    pub(crate) key: PeerKey,
    usage: Usage,
    peers: Arc<Peers>,
}

impl std::ops::Deref for PeerUsage {
    type Target = Usage;

    fn deref(&self) -> &Usage {
        &self.usage
    }
}

impl PeerUsage {
    /// Returns the counters of all peers together.
    pub(crate) fn all(&self) -> &Usage {
        &self.peers.all
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.peers.limits
    }

    /// Returns the limit for this peer, as [`PeerKey::share`].
    pub(crate) fn share(&self, limit: usize) -> usize {
        self.key.share(limit)
    }
}

impl Drop for PeerUsage {
    fn drop(&mut self) {
        let mut by_key = lock(&self.peers.by_key);
        // Another `PeerUsage` may have been created for the key in the meantime.
        if by_key
            .get(&self.key)
            .is_some_and(|usage| usage.strong_count() == 0)
        {
            by_key.remove(&self.key);
        }
    }
}

/// The limit that a request exceeds.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// The share of this peer.
    Share,
    /// The bytes of responses that this peer has not read.
    Unread,
    /// The limit of all peers together.
    Total,
}

/// The counters of all peers.
#[derive(Debug)]
pub(crate) struct Peers {
    limits: Limits,
    by_key: Mutex<HashMap<PeerKey, Weak<PeerUsage>>>,
    all: Usage,
}

impl Peers {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            limits: limits.clone(),
            by_key: Mutex::default(),
            all: Usage::default(),
        })
    }

    /// Returns the counters of all peers together.
    pub(crate) fn all(&self) -> &Usage {
        &self.all
    }

    /// Returns the counters of a peer.
    pub(crate) fn usage(self: &Arc<Self>, key: PeerKey) -> Arc<PeerUsage> {
        let mut by_key = lock(&self.by_key);
        if let Some(usage) = by_key.get(&key).and_then(Weak::upgrade) {
            return usage;
        }
        let usage = Arc::new(PeerUsage {
            key: key.clone(),
            usage: Usage::default(),
            peers: Arc::clone(self),
        });
        by_key.insert(key, Arc::downgrade(&usage));
        usage
    }

    /// Counts a subscription until the permit is dropped. Returns `None` if the peer or all peers
    /// together would exceed their limit.
    pub(crate) fn subscribe(self: &Arc<Self>, key: PeerKey) -> Option<SubscriptionPermit> {
        let limits = &self.limits;
        let peer = self.usage(key);
        let share = peer.share(limits.subscriptions);
        if !peer.subscriptions.try_add(1, share) {
            return None;
        }
        let all = &peer.all().subscriptions;
        if !all.try_add(1, limits.all_subscriptions) {
            peer.subscriptions.subtract(1);
            return None;
        }
        Some(SubscriptionPermit(peer))
    }
}

/// A permit for a subscription.
pub(crate) struct SubscriptionPermit(Arc<PeerUsage>);

impl SubscriptionPermit {
    /// The peer whose subscription is counted.
    pub(crate) fn peer(&self) -> &Arc<PeerUsage> {
        &self.0
    }
}

impl Drop for SubscriptionPermit {
    fn drop(&mut self) {
        self.0.subscriptions.subtract(1);
        self.0.all().subscriptions.subtract(1);
    }
}
