//! How much a peer may ask for.

use std::time::Duration;

/// Bounds on everything that a peer could make grow. The defaults suit most servers. How deep JSON
/// may nest is fixed, by [`NESTING_LIMIT`](mcp_types::json::NESTING_LIMIT).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message, and of an HTTP body: 4 MiB.
    pub message_bytes: usize,
    /// Messages in one batch of revision 2025-03-26: 100.
    pub batch: usize,
    /// Requests of one connection or session that run at once, over HTTP of all connections
    /// together: 1,024. One more is refused. Requests for URLs of resources are counted apart.
    pub concurrent_requests: usize,
    /// Requests of `subscriptions/listen` of one peer that last at once: 1,024. A peer is a
    /// connection; over HTTP it is who the [`Principal`](crate::Principal) says, else the address
    /// that the request comes from, as far as that is known (an extension of the type
    /// [`SocketAddr`](std::net::SocketAddr), which `serve_http` sets), else anyone.
    pub subscriptions: usize,
    /// Requests of `subscriptions/listen` that last at once in all: 10,000.
    pub all_subscriptions: usize,
    /// Resources that one subscription, session or connection may name: 1,024. Their URIs have
    /// 256 KiB at most, all together.
    pub subscribed_resources: usize,
    /// Bytes that wait for a slow reader before handlers have to wait, too: 1 MiB.
    pub queued_bytes: usize,
    /// How long a peer on a pair of byte streams may take to its first message: 1 minute. It does
    /// not hold for standard input, where the peer is who started the process.
    pub first_message_time: Duration,
    /// How long a request may run: 5 minutes. Subscriptions may last longer. A connection that
    /// `serve_http` keeps is closed when its client has read nothing of what waits for so long and
    /// the grace time.
    pub request_time: Duration,
    /// How long work in flight may go on after the end of input or a shutdown: 10 seconds.
    pub grace_time: Duration,
    /// Sessions of legacy peers over HTTP: 10,000. The one unused for longest gives way if it is
    /// idle; else the newcomer is refused. Streams of the deprecated HTTP+SSE: as many again, the
    /// next is refused.
    pub sessions: usize,
    /// How long a session may be idle: 30 minutes.
    pub session_idle_time: Duration,
    /// The least time between two progress notifications of a request, the last one apart: 20 ms.
    pub progress_interval: Duration,
    /// How long sealed state of a request that waits for input stays valid: 1 hour.
    pub state_time: Duration,
    /// Bytes of a request's headers over HTTP: 32 KiB.
    pub header_bytes: usize,
    /// HTTP connections that `serve_http` keeps at once: 10,000.
    pub connections: usize,
    /// How often a quiet stream of events gets a comment, so that nothing on the way closes it:
    /// 15 seconds.
    pub keep_alive: Duration,
    /// Events of one legacy stream that are kept for a client that comes back: 256.
    pub kept_events: usize,
    /// Bytes of one URI of a resource or template that a peer names in a request: 8 KiB. A longer
    /// one is refused with -32602 before it is matched with anything.
    pub uri_bytes: usize,
}

/// Bytes of the URIs that one subscription, session or connection may name: they are kept as long as
/// it lasts.
pub(crate) const SUBSCRIBED_BYTES: usize = 256 << 10;

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            batch: 100,
            concurrent_requests: 1_024,
            subscriptions: 1_024,
            all_subscriptions: 10_000,
            subscribed_resources: 1_024,
            queued_bytes: 1 << 20,
            first_message_time: Duration::from_secs(60),
            request_time: Duration::from_secs(300),
            grace_time: Duration::from_secs(10),
            sessions: 10_000,
            session_idle_time: Duration::from_secs(1_800),
            progress_interval: Duration::from_millis(20),
            state_time: Duration::from_secs(3_600),
            header_bytes: 32 << 10,
            connections: 10_000,
            keep_alive: Duration::from_secs(15),
            kept_events: 256,
            uri_bytes: 8 << 10,
        }
    }
}
