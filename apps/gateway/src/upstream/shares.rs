//! [`Slots`]: the calls or subscriptions that an upstream has at once, with a share for each peer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp_server::PeerKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of peers above which those without any are forgotten.
const PEERS: usize = 64;

/// Returns how much one peer may use of what an upstream has for all peers: one of `parts` equal
/// parts. A pair of byte streams belongs to the client that started the gateway. It is the only one,
/// so it may use everything.
pub(crate) fn share(peer: &PeerKey, all: usize, parts: usize) -> usize {
    match peer {
        PeerKey::Connection(_) => all,
        peer => peer.share(all.div_ceil(parts.max(1))).min(all),
    }
}

/// The calls that an upstream works on at once, or its subscriptions, with a share for each peer.
pub(crate) struct Slots {
    all: Arc<Semaphore>,
    limit: usize,
    parts: usize,
    by_peer: Mutex<HashMap<PeerKey, Weak<Semaphore>>>,
}

/// A call or subscription that is counted until this is dropped.
pub(crate) struct Slot {
    _of_peer: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Slots {
    pub(crate) fn new(limit: usize, parts: usize) -> Self {
        let limit = limit.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            all: Arc::new(Semaphore::new(limit)),
            limit,
            parts,
            by_peer: Mutex::default(),
        }
    }

    /// Counts one. Waits first for a place in the share of the peer, and then for one among those of
    /// all peers. Returns `None` only if a semaphore is closed, which never happens.
    pub(crate) async fn wait(&self, peer: &PeerKey) -> Option<Slot> {
        let of_peer = self.of_peer(peer).acquire_owned().await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Slot {
            _of_peer: of_peer,
            _of_all: of_all,
        })
    }

    /// Counts one if there is a place for it.
    pub(crate) fn try_take(&self, peer: &PeerKey) -> Option<Slot> {
        let of_peer = self.of_peer(peer).try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(Slot {
            _of_peer: of_peer,
            _of_all: of_all,
        })
    }

    /// Returns the places of a peer. They exist for as long as one of them is used or waited for.
    fn of_peer(&self, peer: &PeerKey) -> Arc<Semaphore> {
        let mut by_peer = self.by_peer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = by_peer.get(peer).and_then(Weak::upgrade) {
            return places;
        }
        if by_peer.len() >= PEERS && by_peer.len() == by_peer.capacity() {
            by_peer.retain(|_, places| places.strong_count() > 0);
        }
        let places = Arc::new(Semaphore::new(share(peer, self.limit, self.parts)));
        by_peer.insert(peer.clone(), Arc::downgrade(&places));
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> PeerKey {
        PeerKey::Principal(name.to_owned())
    }

    #[test]
    fn peer_takes_no_more_than_its_share() {
        let slots = Slots::new(8, 4);
        let ada: Vec<_> = (0..3).map(|_| slots.try_take(&user("ada"))).collect();
        let taken: Vec<_> = ada.iter().map(Option::is_some).collect();
        assert_eq!(taken, [true, true, false]);
        assert!(slots.try_take(&user("bob")).is_some());
        drop(ada);
        assert!(slots.try_take(&user("ada")).is_some());
    }

    #[test]
    fn client_that_started_the_gateway_has_all() {
        let slots = Slots::new(8, 4);
        let own = PeerKey::Connection(1);
        let taken: Vec<_> = (0..9).map_while(|_| slots.try_take(&own)).collect();
        assert_eq!(taken.len(), 8);
    }

    #[test]
    fn peers_without_calls_are_forgotten() {
        let slots = Slots::new(8, 4);
        for number in 0..10_000 {
            drop(slots.try_take(&user(&number.to_string())));
        }
        let known = slots.by_peer.lock().expect("no panic").len();
        assert!(known < 10 * PEERS, "{known}");
    }
}
