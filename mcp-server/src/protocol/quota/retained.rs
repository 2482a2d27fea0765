//! [`RetainedBytes`]: memory that outlives the requests of a peer, counted for that peer.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
#[cfg(feature = "http")]
use std::sync::atomic::Ordering;

use crate::protocol::quota::PeerUsage;

/// The maximum memory in bytes that a byte of JSON text needs when it is decoded.
const BYTES_PER_TEXT_BYTE: usize = 24;

/// The fixed memory of a session, subscription or task in bytes: futures, tables, ids.
const FIXED_BYTES: usize = 4 << 10;

/// Estimates the memory of a session, subscription or task in bytes. `json` is the size of the JSON
/// text that is kept, such as that in which the peer describes itself, `text` that of other text, such
/// as URIs and HTTP headers, both in bytes.
pub(crate) fn memory(json: usize, text: usize) -> usize {
    json.saturating_mul(BYTES_PER_TEXT_BYTE)
        .saturating_add(text.saturating_mul(2))
        .saturating_add(FIXED_BYTES)
}

/// Memory that is counted for a peer until this is dropped.
#[derive(Debug)]
pub(crate) struct RetainedBytes {
    peer: Arc<PeerUsage>,
    count: AtomicUsize,
}

impl RetainedBytes {
    /// Counts memory. Returns `None` if the peer exceeds its share, or all peers together exceed
    /// the limit.
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
    /// Counts memory, even if that exceeds the limits.
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

    /// Returns `true` if the peer exceeds its share, or all peers together exceed the limit.
    pub(crate) fn exceeds_limit(&self) -> bool {
        let limit = self.peer.limits().retained_bytes;
        self.peer.retained_bytes.get() > self.peer.share(limit / 4)
            || self.peer.all().retained_bytes.get() > limit
    }

    /// Replaces the counted number of bytes.
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
