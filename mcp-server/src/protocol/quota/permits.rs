//! Permits: each counts something for a peer until it is dropped.

use std::sync::Arc;
use std::time::Duration;

use super::{Exhausted, Gauge, PeerUsage, Usage};

/// The time for which a message to other processes is counted.
pub(crate) const BUS_PERIOD: Duration = Duration::from_secs(10);
/// A message to other processes counts once for every so many bytes.
const BUS_MESSAGE_BYTES: usize = 16 << 10;

impl PeerUsage {
    /// Counts bytes of a body. Returns `false`, and counts nothing, if that would exceed a limit.
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

    pub(crate) fn subtract_body_bytes(&self, count: usize) {
        self.body_bytes.subtract(count);
        self.all().body_bytes.subtract(count);
    }

    /// Counts bytes that are queued for a slow reader, even if that exceeds a limit.
    pub(crate) fn add_queued_bytes(&self, count: usize) {
        self.queued_bytes.add(count);
        self.all().queued_bytes.add(count);
    }

    pub(crate) fn subtract_queued_bytes(&self, count: usize) {
        self.queued_bytes.subtract(count);
        self.all().queued_bytes.subtract(count);
    }

    /// Returns `true` if several responses of the peer wait to be read, and all that is queued for
    /// it exceeds its share, or that for all peers exceeds their limit. One alone may have any
    /// size.
    pub(crate) fn has_too_much_unread(&self) -> bool {
        self.unread_responses.get() > 1 && !self.may_queue(0)
    }

    /// Returns `true` if `count` more bytes may be queued for slow readers.
    pub(crate) fn may_queue(&self, count: usize) -> bool {
        let limits = &self.peers.limits;
        let share = self.share(limits.queued_bytes_per_peer);
        self.queued_bytes.get().saturating_add(count) <= share
            && self.all().queued_bytes.get().saturating_add(count) <= limits.all_queued_bytes
    }

    /// Counts requests over HTTP until the permit is dropped.
    ///
    /// # Errors
    ///
    /// Returns the limit that would be exceeded.
    pub(crate) fn requests(self: Arc<Self>, count: usize) -> Result<RequestPermit, Exhausted> {
        if self.has_too_much_unread() {
            return Err(Exhausted::Unread);
        }
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

    /// Counts a download by URL until the permit is dropped. The limits are those of requests, but
    /// downloads are counted separately.
    ///
    /// # Errors
    ///
    /// As [`requests`](Self::requests).
    #[cfg(feature = "proposals")]
    pub(crate) fn download(self: Arc<Self>) -> Result<DownloadPermit, Exhausted> {
        let share = self.peers.limits.requests_per_peer;
        self.count(|usage| &usage.downloads, share)
    }

    /// Counts a request whose access token is being verified, until the permit is dropped. Its peer
    /// is not authenticated yet. The total is that of requests, but verifications are counted
    /// separately.
    ///
    /// # Errors
    ///
    /// As [`requests`](Self::requests).
    pub(crate) fn verification(self: Arc<Self>) -> Result<GaugePermit, Exhausted> {
        let share = self.peers.limits.verifications_per_peer;
        self.count(|usage| &usage.verifications, share)
    }

    /// Counts a request for a public route whose response is being computed, as
    /// [`verification`](Self::verification) does for access tokens. Users who wait for a login must not
    /// keep clients that have tokens from using them.
    ///
    /// # Errors
    ///
    /// As [`requests`](Self::requests).
    pub(crate) fn public_request(self: Arc<Self>) -> Result<GaugePermit, Exhausted> {
        let share = self.peers.limits.verifications_per_peer;
        self.count(|usage| &usage.public_requests, share)
    }

    /// Adds one to a gauge of the peer and of all peers until the permit is dropped.
    fn count(self: Arc<Self>, gauge: SelectGauge, share: usize) -> Result<GaugePermit, Exhausted> {
        if !gauge(&self).try_add(1, self.share(share)) {
            return Err(Exhausted::Share);
        }
        let limit = self.peers.limits.concurrent_requests;
        if !gauge(self.all()).try_add(1, limit) {
            gauge(&self).subtract(1);
            return Err(Exhausted::Total);
        }
        Ok(GaugePermit { peer: self, gauge })
    }

    /// Counts a message of so many bytes to other processes, for [`BUS_PERIOD`]. Returns `false` if
    /// the peer would exceed its share. Must be called within a tokio runtime.
    pub(crate) fn bus_message(self: Arc<Self>, bytes: usize) -> bool {
        let share = self.share(self.peers.limits.bus_messages_per_peer);
        // One that is larger than the share can be sent as well, if it is the only one.
        let count = (1 + bytes / BUS_MESSAGE_BYTES).min(share.max(1));
        let counted = self.bus_messages.try_add(count, share);
        if counted {
            tokio::spawn(async move {
                tokio::time::sleep(BUS_PERIOD).await;
                self.bus_messages.subtract(count);
            });
        }
        counted
    }

    /// Counts a channel of HTTP+SSE until the permit is dropped. Returns `None` if the peer would
    /// exceed its share.
    pub(crate) fn channel(self: Arc<Self>) -> Option<ChannelPermit> {
        let share = self.share(self.peers.limits.sessions_per_peer);
        let counted = self.channels.try_add(1, share);
        counted.then(|| ChannelPermit(self))
    }
}

/// A permit for a download by URL.
#[cfg(feature = "proposals")]
pub(crate) type DownloadPermit = GaugePermit;

type SelectGauge = fn(&Usage) -> &Gauge;

/// Counts something of a peer in two gauges until it is dropped: that of the peer, and that of all peers.
pub(crate) struct GaugePermit {
    peer: Arc<PeerUsage>,
    gauge: SelectGauge,
}

impl Drop for GaugePermit {
    fn drop(&mut self) {
        (self.gauge)(&self.peer).subtract(1);
        (self.gauge)(self.peer.all()).subtract(1);
    }
}

/// A permit for a channel of HTTP+SSE.
pub(crate) struct ChannelPermit(Arc<PeerUsage>);

impl Drop for ChannelPermit {
    fn drop(&mut self) {
        self.0.channels.subtract(1);
    }
}

/// A permit for HTTP requests.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    peer: Arc<PeerUsage>,
    count: usize,
    /// Bytes of the body that are counted together with the requests.
    body_bytes: usize,
}

/// Bodies of up to this size in bytes are not counted while their requests are in flight, or until
/// they were read.
const SMALL_BODY: usize = 4 << 10;

/// Bytes of a response, counted for its peer until they were sent.
#[derive(Debug)]
pub(crate) struct UnreadBytes {
    peer: Arc<PeerUsage>,
    count: usize,
}

impl UnreadBytes {
    /// Counts the bytes, even if that exceeds a limit: further requests are refused then. `None` if
    /// they are few.
    pub(crate) fn count(peer: &Arc<PeerUsage>, count: usize) -> Option<Self> {
        (count > SMALL_BODY).then(|| {
            peer.unread_responses.add(1);
            peer.add_queued_bytes(count);
            let peer = Arc::clone(peer);
            Self { peer, count }
        })
    }
}

impl Drop for UnreadBytes {
    fn drop(&mut self) {
        self.peer.unread_responses.subtract(1);
        self.peer.subtract_queued_bytes(self.count);
    }
}

impl RequestPermit {
    /// Creates a permit for a message that is accepted although the limit is reached.
    pub(crate) fn uncounted(peer: Arc<PeerUsage>) -> Self {
        Self {
            peer,
            count: 0,
            body_bytes: 0,
        }
    }

    /// The peer whose requests are counted.
    pub(crate) fn peer(&self) -> &Arc<PeerUsage> {
        &self.peer
    }

    /// Counts the body of the requests while they are in flight, because values decoded from it may
    /// live as long. Returns `false` if that would exceed a limit.
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
    /// As [`PeerUsage::requests`]. The permit is not changed then.
    pub(crate) fn add(&mut self, count: usize) -> Result<(), Exhausted> {
        let mut more = Arc::clone(&self.peer).requests(count)?;
        self.count += std::mem::take(&mut more.count);
        Ok(())
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        if self.body_bytes > 0 {
            self.peer.subtract_body_bytes(self.body_bytes);
        }
        self.peer.requests.subtract(self.count);
        self.peer.all().requests.subtract(self.count);
    }
}
