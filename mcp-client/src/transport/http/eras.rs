//! [`EraCache`]: remembers the era and the revision of servers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;
use mcp_types::Revision;

use super::http_client::url;

/// The number of origins that are remembered.
const ORIGINS: usize = 256;

/// What an earlier connection to a server found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RememberedServer {
    /// The negotiated revision.
    pub(super) revision: Revision,
    /// Whether the server uses HTTP+SSE, as in 2024-11-05.
    pub(super) is_sse: bool,
}

/// Remembers the era and the revision of servers by their origin, so that the next client begins
/// with the right request. An entry that proves wrong is replaced. Clones share the entries, of the
/// last 256 origins.
#[derive(Clone, Debug, Default)]
pub struct EraCache {
    known: Arc<Mutex<VecDeque<(String, RememberedServer)>>>,
}

impl EraCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<(String, RememberedServer)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, server: &Uri) -> Option<RememberedServer> {
        let origin = url::origin(server);
        let known = self.known();
        let found = known.iter().find(|(other, _)| *other == origin);
        found.map(|(_, server)| *server)
    }

    pub(super) fn set(&self, server: &Uri, found: Option<RememberedServer>) {
        let origin = url::origin(server);
        let mut known = self.known();
        known.retain(|(other, _)| *other != origin);
        if let Some(found) = found {
            if known.len() == ORIGINS {
                known.pop_front();
            }
            known.push_back((origin, found));
        }
    }
}
