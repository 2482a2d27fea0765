//! [`Queues`]: the queues of responses that are streams, for the gauge of queued bytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::server::Server;

/// Locks that registrations are spread over.
const SHARDS: usize = 8;

/// Messages that wait for a client to read them.
pub(crate) trait Queue: Send + Sync {
    fn queued_bytes(&self) -> usize;
}

/// The queues that exist, by their addresses. Only responses that become streams are registered,
/// so that other requests pay nothing.
#[derive(Default)]
pub(crate) struct Queues([Mutex<Shard>; SHARDS]);

type Shard = HashMap<usize, Weak<dyn Queue>>;

impl Queues {
    fn shard(&self, key: usize) -> Option<MutexGuard<'_, Shard>> {
        // The lowest bits of all addresses are the same.
        let shard = self.0.get((key >> 6) % SHARDS)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn queued_bytes(&self) -> usize {
        let mut bytes = 0;
        for shard in &self.0 {
            let queues: Vec<_> = {
                let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
                shard.values().filter_map(Weak::upgrade).collect()
            };
            bytes += queues
                .iter()
                .map(|queue| queue.queued_bytes())
                .sum::<usize>();
        }
        bytes
    }
}

impl Server {
    /// Counts what waits in a queue as queued until the returned guard is dropped.
    pub(crate) fn watch_queue<Q: Queue + 'static>(&self, queue: &Arc<Q>) -> WatchedQueue {
        let key = Arc::as_ptr(queue).addr();
        if let Some(mut shard) = self.inner.queues.shard(key) {
            let queue: Weak<dyn Queue> = Arc::<Q>::downgrade(queue);
            shard.insert(key, queue);
        }
        let server = self.clone();
        WatchedQueue { server, key }
    }
}

/// A queue that is counted. Has to be dropped before the queue, whose address names it.
pub(crate) struct WatchedQueue {
    server: Server,
    key: usize,
}

impl Drop for WatchedQueue {
    fn drop(&mut self) {
        if let Some(mut shard) = self.server.inner.queues.shard(self.key) {
            shard.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(usize);

    impl Queue for Fixed {
        fn queued_bytes(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn dropped_guard_leaves_nothing_in_the_table() {
        let server = Server::builder("tested", "1").build().expect("sound");
        let queues: Vec<_> = (1..=20).map(|bytes| Arc::new(Fixed(bytes))).collect();
        let guards: Vec<_> = queues
            .iter()
            .map(|queue| server.watch_queue(queue))
            .collect();
        let table = &server.inner.queues;
        assert_eq!(table.queued_bytes(), 210);
        drop(guards);
        assert_eq!(table.queued_bytes(), 0);
        for shard in &table.0 {
            assert!(shard.lock().expect("not poisoned").is_empty());
        }
    }
}
