//! How much of the server each peer uses: [`Peers`], and the permits that count it.
//!
//! A peer's [`PeerUsage`] exists as long as something is counted for it, so the table is bounded by
//! the limits of what is counted.

mod peer_key;
mod permits;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

pub(crate) use peer_key::PeerKey;
#[cfg(feature = "https-url")]
pub(crate) use permits::DownloadPermit;
#[cfg(feature = "http")]
pub(crate) use permits::{ChannelPermit, RequestPermit};

use crate::limits::Limits;

/// A counter with a bound.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicUsize);

impl Gauge {
    /// Adds `count`, unless the sum would exceed `limit`.
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

    #[cfg(feature = "http")]
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

/// What is counted for one peer, or for all of them together.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    pub(crate) subscriptions: Gauge,
    /// Memory of sessions and subscriptions.
    pub(crate) retained_bytes: Gauge,
    #[cfg(feature = "http")]
    pub(crate) requests: Gauge,
    #[cfg(feature = "https-url")]
    pub(crate) downloads: Gauge,
    /// Channels of HTTP+SSE.
    #[cfg(feature = "http")]
    pub(crate) channels: Gauge,
    #[cfg(feature = "http")]
    pub(crate) body_bytes: Gauge,
    #[cfg(feature = "http")]
    pub(crate) queued_bytes: Gauge,
}

/// What is counted for one peer.
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
    /// Who it is counted for.
    #[cfg(feature = "http")]
    pub(crate) fn key(&self) -> &PeerKey {
        &self.key
    }

    /// What is counted for all peers.
    pub(crate) fn all(&self) -> &Usage {
        &self.peers.all
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.peers.limits
    }

    /// A limit for each peer, which does not hold for peers that cannot be told apart.
    pub(crate) fn share(&self, limit: usize) -> usize {
        match self.key {
            #[cfg(feature = "http")]
            PeerKey::Unknown => usize::MAX,
            _ => limit,
        }
    }

    /// Counts bytes of a body that is arriving; `false` where there is no room.
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

    /// Counts bytes that wait for a slow reader, whether or not there is room.
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

    /// Whether so many more bytes may wait for slow readers.
    #[cfg(feature = "http")]
    pub(crate) fn has_room(&self, count: usize) -> bool {
        let limits = &self.peers.limits;
        let share = self.share(limits.queued_bytes_per_peer);
        self.queued_bytes.get().saturating_add(count) <= share
            && self.all().queued_bytes.get().saturating_add(count) <= limits.all_queued_bytes
    }
}

impl Drop for PeerUsage {
    fn drop(&mut self) {
        let mut by_key = self.peers.by_key();
        // The key may have been taken anew meanwhile.
        if by_key
            .get(&self.key)
            .is_some_and(|usage| usage.strong_count() == 0)
        {
            by_key.remove(&self.key);
        }
    }
}

/// Why something is not counted any more.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// The peer has used its own share.
    Share,
    /// All peers together have used everything.
    Total,
}

/// The peers for which anything is counted.
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

    fn by_key(&self) -> MutexGuard<'_, HashMap<PeerKey, Weak<PeerUsage>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is counted for all peers.
    #[cfg(feature = "http")]
    pub(crate) fn all(&self) -> &Usage {
        &self.all
    }

    /// What is counted for a peer.
    pub(crate) fn usage(self: &Arc<Self>, key: PeerKey) -> Arc<PeerUsage> {
        let mut by_key = self.by_key();
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
