//! [`EraCache`]: remembers the era of servers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;

use crate::util::url;

/// The number of origins that are remembered.
const ORIGINS: usize = 256;

/// How to begin with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// With a request of the newest revision.
    Modern,
    /// With a handshake.
    Handshake,
    /// With a stream of events, as in 2024-11-05.
    Stream,
}

/// Remembers the era of servers by their origin, so that the next client begins with the right
/// request. An entry that proves wrong is replaced. Clones share the entries, of the last 256
/// origins.
#[derive(Clone, Debug, Default)]
pub struct EraCache {
    known: Arc<Mutex<VecDeque<(String, Begin)>>>,
}

impl EraCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<(String, Begin)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, server: &Uri) -> Option<Begin> {
        let origin = url::origin(server);
        let known = self.known();
        let found = known.iter().find(|(other, _)| *other == origin);
        found.map(|(_, begin)| *begin)
    }

    pub(super) fn set(&self, server: &Uri, begin: Option<Begin>) {
        let origin = url::origin(server);
        let mut known = self.known();
        known.retain(|(other, _)| *other != origin);
        if let Some(begin) = begin {
            if known.len() == ORIGINS {
                known.pop_front();
            }
            known.push_back((origin, begin));
        }
    }
}
