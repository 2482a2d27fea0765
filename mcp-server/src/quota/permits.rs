//! Permits: what is counted for a peer until it is dropped.

use std::sync::Arc;

#[cfg(feature = "http")]
use super::Exhausted;
use super::{PeerKey, PeerUsage, Peers};
use crate::context::Context;

#[cfg(feature = "http")]
impl PeerUsage {
    /// Counts requests over HTTP until the permit is dropped.
    ///
    /// # Errors
    ///
    /// Says whether the peer has used its own share or there are no more for anybody.
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
    pub(crate) fn channel(self: Arc<Self>) -> Option<ChannelPermit> {
        let share = self.share(self.peers.limits.sessions_per_peer);
        let counted = self.channels.try_add(1, share);
        counted.then(|| ChannelPermit(self))
    }
}

impl Peers {
    /// Counts a subscription until the permit is dropped; `None` where the peer or all peers
    /// together have no more.
    pub(crate) fn subscribe(self: &Arc<Self>, cx: &Context) -> Option<SubscriptionPermit> {
        let limits = &self.limits;
        let peer = self.usage(PeerKey::of(&cx.call.extensions));
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
    /// Returns a permit for a message that is served although there are no permits left.
    pub(crate) fn uncounted(peer: Arc<PeerUsage>) -> Self {
        Self {
            peer,
            count: 0,
            body_bytes: 0,
        }
    }

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
