//! [`Counters`]: the counters of a server.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, Weak};

use super::Metrics;
use crate::protocol::metrics::refusals::{CAUSES, RefusalCause, Refusals};
use crate::util::lock::lock;

/// Shards of the counters that every request increments.
const SHARDS: usize = 8;

/// The counters of a server, and the endpoints whose gauges belong to it.
#[derive(Default)]
pub(crate) struct Counters {
    shards: [Shard; SHARDS],
    refusals: [AtomicU64; CAUSES],
    open_connections: AtomicUsize,
    accepted_connections: AtomicU64,
    endpoints: Mutex<Vec<Weak<dyn Gauges>>>,
}

/// Aligned to two cache lines, because processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Shard {
    requests: AtomicU64,
    request_bytes: AtomicU64,
}

/// Adds gauges to a snapshot. Implemented by endpoints.
pub(crate) trait Gauges: Send + Sync {
    fn add_to(&self, metrics: &mut Metrics);
}

/// Returns the shard of this thread.
fn shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    // Fails if the thread is ending and its thread-local values were dropped.
    SHARD.try_with(|shard| *shard).unwrap_or(0)
}

impl Counters {
    /// Counts an HTTP request.
    pub(crate) fn request(&self) {
        if let Some(shard) = self.shards.get(shard()) {
            shard.requests.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the bytes of a request's body.
    pub(crate) fn request_bytes(&self, bytes: usize) {
        if let Some(shard) = self.shards.get(shard()) {
            shard
                .request_bytes
                .fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Counts a rejected request or connection.
    pub(crate) fn refused(&self, cause: RefusalCause) {
        if let Some(count) = self.refusals.get(cause as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an accepted connection as open.
    pub(crate) fn connection_opened(&self) {
        self.accepted_connections.fetch_add(1, Ordering::Relaxed);
        self.open_connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection as closed.
    pub(crate) fn connection_closed(&self) {
        self.open_connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// Adds the gauges of an endpoint to snapshots, as long as the endpoint exists.
    pub(crate) fn watch(&self, endpoint: Weak<dyn Gauges>) {
        let mut endpoints = lock(&self.endpoints);
        endpoints.retain(|known| known.strong_count() > 0);
        endpoints.push(endpoint);
    }

    /// Returns the counters and the gauges of all endpoints.
    pub(crate) fn snapshot(&self) -> Metrics {
        let sum = |count: fn(&Shard) -> &AtomicU64| {
            let counts = self.shards.iter().map(count);
            counts.map(|count| count.load(Ordering::Relaxed)).sum()
        };
        let refusals = self.refusals.each_ref();
        let mut metrics = Metrics {
            connections: self.open_connections.load(Ordering::Relaxed),
            accepted_connections: self.accepted_connections.load(Ordering::Relaxed),
            requests: sum(|shard| &shard.requests),
            request_bytes: sum(|shard| &shard.request_bytes),
            refusals: Refusals(refusals.map(|count| count.load(Ordering::Relaxed))),
            ..Metrics::default()
        };
        let endpoints = {
            let endpoints = lock(&self.endpoints);
            endpoints.clone()
        };
        for endpoint in endpoints.iter().filter_map(Weak::upgrade) {
            endpoint.add_to(&mut metrics);
        }
        metrics
    }
}
