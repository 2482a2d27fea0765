//! [`OpenTasks`]: the tasks that an upstream works on, with a share for each peer.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_server::PeerKey;

use super::shares::share;

/// The number of tasks of a peer that are looked at when it has its share.
const LOOKED_AT: usize = 8;

/// The maximum length of an id in bytes.
const ID: usize = 4 << 10;

/// The tasks that an upstream works on, as far as the gateway knows.
pub(crate) struct OpenTasks {
    limit: usize,
    parts: usize,
    /// Those that began, or were looked at, longest ago come first.
    all: Mutex<VecDeque<(PeerKey, String)>>,
}

impl OpenTasks {
    pub(crate) fn new(limit: usize, parts: usize) -> Self {
        Self {
            limit: limit.max(1),
            parts,
            all: Mutex::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<(PeerKey, String)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a task. Returns `false` if the peer has its share, or if the id is too long. If there are
    /// too many tasks of all peers, the first one is not counted any more.
    pub(crate) fn add(&self, peer: &PeerKey, id: &str) -> bool {
        let mut all = self.all();
        let own = all.iter().filter(|(of, _)| of == peer).count();
        if own >= share(peer, self.limit, self.parts) || id.len() > ID {
            return false;
        }
        if all.len() >= self.limit {
            all.pop_front();
        }
        all.push_back((peer.clone(), id.to_owned()));
        true
    }

    /// Notes that a task has ended.
    pub(crate) fn remove(&self, id: &str) {
        self.all().retain(|(_, known)| known != id);
    }

    /// Returns some tasks of a peer that may have ended. The next call returns others.
    pub(crate) fn some_of(&self, peer: &PeerKey) -> Vec<String> {
        let mut all = self.all();
        let (own, others): (VecDeque<_>, _) = all.drain(..).partition(|(of, _)| of == peer);
        *all = others;
        let looked_at = own.len().min(LOOKED_AT);
        let ids = own
            .iter()
            .take(looked_at)
            .map(|(_, id)| id.clone())
            .collect();
        all.extend(own.iter().skip(looked_at).cloned());
        all.extend(own.into_iter().take(looked_at));
        ids
    }
}
