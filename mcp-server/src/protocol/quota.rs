//! How much of the server each peer uses: [`Peers`], and the permits that count it.
//!
//! A peer's [`PeerUsage`] exists as long as something is counted for it, so the table is bounded by
//! the limits of what is counted.

use std::collections::HashMap;
#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::protocol::extensions::{Extensions, Principal};
use crate::protocol::limits::Limits;

/// Who something counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PeerKey {
    /// A pair of byte streams, by the address of what its requests share.
    Connection(usize),
    /// An authenticated peer.
    Principal(String),
    /// The address of an HTTP client, for IPv6 its network.
    #[cfg(feature = "http")]
    Address(IpAddr),
    /// HTTP clients that cannot be told apart.
    #[cfg(feature = "http")]
    Unknown,
}

impl PeerKey {
    /// The peer that sent a request with these extensions.
    pub(crate) fn of(extensions: &Arc<Extensions>) -> Self {
        #[cfg(feature = "http")]
        if extensions.parts().is_some() {
            let address = extensions.get::<crate::PeerAddress>();
            let address = address.map(|address| address.0);
            let principal = extensions.get().map(|principal: &Principal| &*principal.0);
            return Self::of_http(principal, address);
        }
        match extensions.get::<Principal>() {
            Some(principal) => Self::Principal(principal.0.clone()),
            None => Self::Connection(Arc::as_ptr(extensions).addr()),
        }
    }

    /// The peer that sent an HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn of_http(principal: Option<&str>, address: Option<IpAddr>) -> Self {
        match (principal, address) {
            (Some(principal), _) => Self::Principal(principal.to_owned()),
            (None, Some(address)) => Self::at(address),
            (None, None) => Self::Unknown,
        }
    }

    /// The peer at an address. One customer of a network has an address, or for IPv6 the upper half
    /// of one.
    #[cfg(feature = "http")]
    pub(crate) fn at(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        })
    }
}

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

    /// Counts requests over HTTP until the permit is dropped.
    ///
    /// # Errors
    ///
    /// Says whether the peer has used its own share or there are no more for anybody.
    #[cfg(feature = "http")]
    pub(crate) fn requests(self: Arc<Self>, count: usize) -> Result<RequestPermit, Exhausted> {
        let limits = &self.peers.limits;
        let share = self.share(limits.requests_per_peer);
        if !self.requests.try_add(count, share) {
            return Err(Exhausted::Share);
        }
        let all = &self.all().requests;
        if !all.try_add(count, limits.concurrent_requests) {
            self.requests.subtract(count);
            return Err(Exhausted::Total);
        }
        Ok(RequestPermit {
            peer: self,
            count,
            body_bytes: 0,
        })
    }

    /// Counts a download by URL until the permit is dropped. As many may run as requests, and they
    /// are counted apart.
    ///
    /// # Errors
    ///
    /// As [`requests`](Self::requests).
    #[cfg(feature = "https-url")]
    pub(crate) fn download(self: Arc<Self>) -> Result<DownloadPermit, Exhausted> {
        let limits = &self.peers.limits;
        if !self
            .downloads
            .try_add(1, self.share(limits.requests_per_peer))
        {
            return Err(Exhausted::Share);
        }
        let all = &self.all().downloads;
        if !all.try_add(1, limits.concurrent_requests) {
            self.downloads.subtract(1);
            return Err(Exhausted::Total);
        }
        Ok(DownloadPermit(self))
    }

    /// Counts a channel of HTTP+SSE until the permit is dropped; `None` where the peer has its
    /// share.
    #[cfg(feature = "http")]
    pub(crate) fn channel(self: Arc<Self>) -> Option<ChannelPermit> {
        let share = self.share(self.peers.limits.sessions_per_peer);
        let counted = self.channels.try_add(1, share);
        counted.then(|| ChannelPermit(self))
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

    /// Counts a subscription until the permit is dropped; `None` where the peer or all peers
    /// together have no more.
    pub(crate) fn subscribe(self: &Arc<Self>, key: PeerKey) -> Option<SubscriptionPermit> {
        let limits = &self.limits;
        let peer = self.usage(key);
        let share = peer.share(limits.subscriptions);
        if !peer.subscriptions.try_add(1, share) {
            return None;
        }
        let all = &peer.all().subscriptions;
        if !all.try_add(1, limits.all_subscriptions) {
            peer.subscriptions.subtract(1);
            return None;
        }
        Some(SubscriptionPermit(peer))
    }
}

/// A subscription that is counted.
pub(crate) struct SubscriptionPermit(Arc<PeerUsage>);

impl SubscriptionPermit {
    /// Whose subscription it is.
    pub(crate) fn peer(&self) -> &Arc<PeerUsage> {
        &self.0
    }
}

impl Drop for SubscriptionPermit {
    fn drop(&mut self) {
        self.0.subscriptions.subtract(1);
        self.0.all().subscriptions.subtract(1);
    }
}

/// A download by URL that is counted.
#[cfg(feature = "https-url")]
pub(crate) struct DownloadPermit(Arc<PeerUsage>);

#[cfg(feature = "https-url")]
impl Drop for DownloadPermit {
    fn drop(&mut self) {
        self.0.downloads.subtract(1);
        self.0.all().downloads.subtract(1);
    }
}

/// A channel of HTTP+SSE that is counted.
#[cfg(feature = "http")]
pub(crate) struct ChannelPermit(Arc<PeerUsage>);

#[cfg(feature = "http")]
impl Drop for ChannelPermit {
    fn drop(&mut self) {
        self.0.channels.subtract(1);
    }
}

/// Requests over HTTP that are counted.
#[cfg(feature = "http")]
#[derive(Debug)]
pub(crate) struct RequestPermit {
    peer: Arc<PeerUsage>,
    count: usize,
    /// Bytes of the body that are counted as long as the requests.
    body_bytes: usize,
}

/// Bodies up to this size are not counted while their requests are in flight.
#[cfg(feature = "http")]
const SMALL_BODY: usize = 4 << 10;

#[cfg(feature = "http")]
impl RequestPermit {
    /// Whose requests these are.
    pub(crate) fn peer(&self) -> &Arc<PeerUsage> {
        &self.peer
    }

    /// Counts the body of the requests as long as they are in flight: what is decoded from it may
    /// live as long. Returns `false` where there is no room.
    pub(crate) fn keep_body(&mut self, bytes: usize) -> bool {
        if bytes <= SMALL_BODY {
            return true;
        }
        let counted = self.peer.add_body_bytes(bytes);
        if counted {
            self.body_bytes += bytes;
        }
        counted
    }

    /// Counts more requests of the same peer.
    ///
    /// # Errors
    ///
    /// As [`PeerUsage::requests`]; the permit stays as it was.
    pub(crate) fn add(&mut self, count: usize) -> Result<(), Exhausted> {
        let mut more = Arc::clone(&self.peer).requests(count)?;
        self.count += std::mem::take(&mut more.count);
        Ok(())
    }
}

#[cfg(feature = "http")]
impl Drop for RequestPermit {
    fn drop(&mut self) {
        if self.body_bytes > 0 {
            self.peer.subtract_body_bytes(self.body_bytes);
        }
        self.peer.requests.subtract(self.count);
        self.peer.all().requests.subtract(self.count);
    }
}
