//! Memory that is kept for a peer beyond its requests: how much, and for whom it counts.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
#[cfg(feature = "http")]
use std::sync::atomic::Ordering;

use crate::protocol::quota::PeerUsage;

/// Bytes of memory that one byte of JSON text takes at most when it is decoded.
const DECODED: usize = 24;

/// Bytes of a session or subscription beside what its peer sent: tasks, tables, ids.
const FIXED: usize = 4 << 10;

/// Memory of a session or subscription: what its peer says about itself in so many bytes of JSON,
/// and URIs of so many bytes.
pub(crate) fn memory(text: usize, uris: usize) -> usize {
    text.saturating_mul(DECODED)
        .saturating_add(uris.saturating_mul(2))
        .saturating_add(FIXED)
}

/// Memory that is kept for a peer. Counted until this is dropped.
#[derive(Debug)]
pub(crate) struct RetainedBytes {
    peer: Arc<PeerUsage>,
    count: AtomicUsize,
}

impl RetainedBytes {
    /// Counts memory, unless the peer has used its share or there is no more for anybody.
    pub(crate) fn try_new(peer: &Arc<PeerUsage>, count: usize) -> Option<Self> {
        let limits = peer.limits();
        let share = peer.share(limits.retained_bytes / 4);
        if !peer.retained_bytes.try_add(count, share) {
            return None;
        }
        let all = &peer.all().retained_bytes;
        if !all.try_add(count, limits.retained_bytes) {
            peer.retained_bytes.subtract(count);
            return None;
        }
        Some(Self {
            peer: Arc::clone(peer),
            count: count.into(),
        })
    }
}

#[cfg(feature = "http")]
impl RetainedBytes {
    /// Counts memory, whether or not there is room.
    pub(crate) fn new(peer: &Arc<PeerUsage>, count: usize) -> Self {
        let retained = Self {
            peer: Arc::clone(peer),
            count: AtomicUsize::new(0),
        };
        retained.set(count);
        retained
    }

    pub(crate) fn get(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Whether the peer has more than its share, or all peers together have more than there is.
    pub(crate) fn is_too_much(&self) -> bool {
        let limit = self.peer.limits().retained_bytes;
        self.peer.retained_bytes.get() > self.peer.share(limit / 4)
            || self.peer.all().retained_bytes.get() > limit
    }

    /// Counts more or less memory from now on.
    pub(crate) fn set(&self, count: usize) {
        let before = self.count.swap(count, Ordering::AcqRel);
        for gauge in [&self.peer.retained_bytes, &self.peer.all().retained_bytes] {
            gauge.add(count);
            gauge.subtract(before);
        }
    }
}

impl Drop for RetainedBytes {
    fn drop(&mut self) {
        let count = *self.count.get_mut();
        self.peer.retained_bytes.subtract(count);
        self.peer.all().retained_bytes.subtract(count);
    }
}
