//! [`Peers`]: counts the requests, bytes and subscriptions of each peer.
//!
//! A [`PeerUsage`] exists only while something is counted for its peer, so the limits of what is
//! counted also bound the table.

pub(crate) mod peer_key;
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
    key: PeerKey,
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
    /// Returns the key of the peer.
    #[cfg(feature = "http")]
    pub(crate) fn key(&self) -> &PeerKey {
        &self.key
    }

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

    /// Counts bytes of a body. Returns `false`, and counts nothing, if that would exceed a limit.
    #[cfg(feature = "http")]
    pub(crate) fn add_body_bytes(&self, count: usize) -> bool {
        let limits = &self.peers.limits;
        let share = self.share(limits.body_bytes_per_peer);
        if !self.body_bytes.try_add(count, share) {
            return false;
        }
        let fits = self.all().body_bytes.try_add(count, limits.body_bytes);
        if !fits {
            self.body_bytes.subtract(count);
        }
        fits
    }

    #[cfg(feature = "http")]
    pub(crate) fn subtract_body_bytes(&self, count: usize) {
        self.body_bytes.subtract(count);
        self.all().body_bytes.subtract(count);
    }

    /// Counts bytes that are queued for a slow reader, even if that exceeds a limit.
    #[cfg(feature = "http")]
    pub(crate) fn add_queued_bytes(&self, count: usize) {
        self.queued_bytes.add(count);
        self.all().queued_bytes.add(count);
    }

    #[cfg(feature = "http")]
    pub(crate) fn subtract_queued_bytes(&self, count: usize) {
        self.queued_bytes.subtract(count);
        self.all().queued_bytes.subtract(count);
    }

    /// Returns `true` if several responses of the peer wait to be read, and all that is queued for
    /// it exceeds its share, or that for all peers exceeds their limit. One alone may have any
    /// size.
    #[cfg(feature = "http")]
    pub(crate) fn has_too_much_unread(&self) -> bool {
        self.unread_responses.get() > 1 && !self.may_queue(0)
    }

    /// Returns `true` if `count` more bytes may be queued for slow readers.
    #[cfg(feature = "http")]
    pub(crate) fn may_queue(&self, count: usize) -> bool {
        let limits = &self.peers.limits;
        let share = self.share(limits.queued_bytes_per_peer);
        self.queued_bytes.get().saturating_add(count) <= share
            && self.all().queued_bytes.get().saturating_add(count) <= limits.all_queued_bytes
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
}
