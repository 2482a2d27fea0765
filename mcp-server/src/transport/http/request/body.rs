//! Reads the bodies of requests, with limits for size, time and memory.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http_body::{Body, Frame};
use tokio::time::{Instant, sleep_until};

use crate::protocol::core::Core;
use crate::protocol::limits::Limits;
use crate::protocol::quota::PeerUsage;
use crate::transport::http::refusal::Refusal;

/// The period over which the rate of a body is measured.
const RATE_TIME: Duration = Duration::from_secs(5);

/// Reads the body of a request, of at most `limit` bytes. `peer` returns the usage of the client.
///
/// After the server has begun to stop, a body that is `accepted_late` has the grace time to arrive;
/// others are rejected.
pub(crate) async fn read<B: Body>(
    body: B,
    limit: usize,
    server: &Arc<Core>,
    peer: impl FnOnce() -> Arc<PeerUsage>,
    accepted_late: impl FnOnce() -> bool,
) -> Result<Bytes, Refusal> {
    let limits = &server.limits;
    let mut received = Received::new(limit);
    received.check_size(body.size_hint().lower())?;
    let mut body = pin!(body);
    // Most bodies have arrived completely, and need no timer.
    loop {
        let ready = poll_fn(|task| match body.as_mut().poll_frame(task) {
            Poll::Ready(frame) => Poll::Ready(Some(frame)),
            Poll::Pending => Poll::Ready(None),
        });
        match ready.await {
            Some(Some(frame)) => received.add(frame)?,
            Some(None) => return Ok(received.whole()),
            None => break,
        }
    }
    let stopped = async {
        if accepted_late() {
            server.grace_over().await;
        } else {
            server.stopping().await;
        }
    };
    let rest = async {
        tokio::select! {
            biased;
            body = read_rest(body, received, limits, peer()) => body,
            () = stopped => Err(Refusal::ShuttingDown),
        }
    };
    Box::pin(rest).await
}

/// Reads the rest of a body that has not arrived completely.
async fn read_rest<B: Body>(
    mut body: Pin<&mut B>,
    mut received: Received,
    limits: &Limits,
    peer: Arc<PeerUsage>,
) -> Result<Bytes, Refusal> {
    let mut counted = CountedBytes { peer, count: 0 };
    counted.grow(received.len())?;
    let begun = Instant::now();
    let deadline = begun + limits.body_time;
    let mut rate_ends = begun + RATE_TIME;
    let mut rate_from = received.len();
    loop {
        let frame = poll_fn(|task| body.as_mut().poll_frame(task));
        tokio::select! {
            biased;
            frame = frame => {
                let Some(frame) = frame else {
                    return Ok(received.whole());
                };
                received.add(frame)?;
                counted.grow(received.len())?;
            }
            () = sleep_until(rate_ends.min(deadline)) => {
                let rate = u64::try_from(limits.body_rate).unwrap_or(u64::MAX);
                let wanted = rate.saturating_mul(RATE_TIME.as_secs());
                let arrived = (received.len() - rate_from) as u64;
                if rate_ends >= deadline {
                    return Err(Refusal::BodyTimeout {
                        limit: limits.body_time,
                        received: received.len(),
                    });
                }
                if arrived < wanted {
                    return Err(Refusal::BodyTooSlow(limits.body_rate));
                }
                rate_ends += RATE_TIME;
                rate_from = received.len();
            }
        }
    }
}

/// The bytes of a body, counted for a peer.
struct CountedBytes {
    peer: Arc<PeerUsage>,
    count: usize,
}

impl CountedBytes {
    fn grow(&mut self, count: usize) -> Result<(), Refusal> {
        if !self.peer.add_body_bytes(count - self.count) {
            return Err(Refusal::BodyMemory);
        }
        self.count = count;
        Ok(())
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.peer.subtract_body_bytes(self.count);
    }
}

/// The received bytes of a body. A body that arrives in one frame is not copied.
struct Received {
    limit: u64,
    first: Bytes,
    rest: BytesMut,
}

impl Received {
    fn new(limit: usize) -> Self {
        Self {
            limit: u64::try_from(limit).unwrap_or(u64::MAX),
            first: Bytes::new(),
            rest: BytesMut::new(),
        }
    }

    fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    /// Checks that the body may have `size` bytes.
    fn check_size(&self, size: u64) -> Result<(), Refusal> {
        if size > self.limit {
            return Err(Refusal::BodyTooLarge {
                found: size,
                limit: self.limit,
            });
        }
        Ok(())
    }

    fn add<D: Buf, E>(&mut self, frame: Result<Frame<D>, E>) -> Result<(), Refusal> {
        let frame = frame.map_err(|_| Refusal::BodyUnreadable)?;
        let Ok(mut data) = frame.into_data() else {
            return Ok(());
        };
        self.check_size((self.len() + data.remaining()) as u64)?;
        if self.len() == 0 {
            self.first = data.copy_to_bytes(data.remaining());
            return Ok(());
        }
        if self.rest.is_empty() {
            self.rest.extend_from_slice(&self.first);
            self.first = Bytes::new();
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            self.rest.extend_from_slice(chunk);
            let size = chunk.len();
            data.advance(size);
        }
        Ok(())
    }

    fn whole(self) -> Bytes {
        if self.rest.is_empty() {
            return self.first;
        }
        self.rest.freeze()
    }
}
