//! Bounds on what peers can make the server keep, do and wait for.

mod checked;

use std::time::Duration;

/// Bounds on everything that a peer could make grow or last. The defaults suit most servers.
///
/// How deep JSON may nest is fixed, by [`NESTING_LIMIT`](mcp_types::json::NESTING_LIMIT).
///
/// A peer is an authenticated [`Principal`](crate::Principal). Requests without a principal belong
/// to the peer of their `PeerAddress` over HTTP, for IPv6 to its /64 network, and otherwise to the
/// peer of their pair of byte streams. An HTTP request without a `PeerAddress` counts for the
/// totals only: this happens if the service runs in a stack that does not attach the address of the
/// connection.
///
/// [`Duration::MAX`] and [`usize::MAX`] mean that there is no limit.
///
/// # Memory
///
/// What all HTTP peers together can make the server keep is at most, in bytes and beside what
/// handlers keep themselves:
///
/// ```text
///   retained_bytes                         sessions, channels of HTTP+SSE, subscriptions
/// + connections * (header_bytes + 64 KiB)  buffers and heads; over HTTP/2 one head a stream
/// + all_subscriptions * header_bytes       heads of requests that last
/// + 25 * body_bytes                        bodies that arrive or are served, and what is decoded
///                                          from them: at most 24 bytes of memory a byte of text
/// + concurrent_requests * (header_bytes + 100 KiB)
///                                          other requests in flight; each may be 4 KiB of text
/// + all_queued_bytes                       messages for clients that read slowly, and one message
///                                          of the handler's for each response
/// + 64 MiB                                 events for clients that come back
/// ```
///
/// A connection of byte streams keeps up to `24 * peer_bytes` and 512 KiB for its session, and up
/// to `queued_bytes` of messages, beside `25 * message_bytes` for each of its `concurrent_requests`;
/// a program that accepts such connections from strangers has to bound their number.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message, and of an HTTP body: 4 MiB.
    pub message_bytes: usize,
    /// JSON values in the params of one message, and in the answer of a client to a request of the
    /// server: 100,000. Members, elements, arrays and objects count. Even the shortest value costs
    /// time and memory, so that 4 MiB of them would keep a thread busy for too long; long texts
    /// count once. Requests with more are refused with -32602. A handler that waits for an answer
    /// with more gets `InputError::Answer`.
    pub message_values: usize,
    /// Messages in one batch of revision 2025-03-26: 100.
    pub batch: usize,
    /// Requests of one connection or session that run at once, over HTTP of all connections
    /// together: 1,024. One more is refused, but answers and cancellations in sessions are accepted:
    /// requests may be waiting for them. Requests for URLs of resources are counted apart.
    pub concurrent_requests: usize,
    /// Requests of `subscriptions/listen` of one peer, by its principal or `PeerAddress`, that last
    /// at once: 1,024.
    pub subscriptions: usize,
    /// Requests of `subscriptions/listen` that last at once in all: 10,000.
    pub all_subscriptions: usize,
    /// Resources that one subscription, session or connection may name: 1,024. Their URIs have
    /// 256 KiB at most, all together.
    pub subscribed_resources: usize,
    /// Bytes that wait for a slow reader of one response or connection before handlers have to
    /// wait, too: 1 MiB.
    pub queued_bytes: usize,
    /// How long a peer on a pair of byte streams may take to its first message: 1 minute. It does
    /// not hold for standard input, where the peer is who started the process.
    pub first_message_time: Duration,
    /// How long a request may run: 5 minutes. Subscriptions may last longer.
    pub request_time: Duration,
    /// How long requests in flight may go on after the end of input or a shutdown, before they are
    /// ended with an error: 10 seconds.
    pub grace_time: Duration,
    /// Sessions of legacy peers over HTTP: 10,000. The one unused for longest is closed in favour
    /// of a new one if it is idle; otherwise the new one is refused. Streams of the deprecated
    /// HTTP+SSE: as many again, the next is refused.
    pub sessions: usize,
    /// How long a session may be idle: 30 minutes.
    pub session_idle_time: Duration,
    /// The least time between two progress notifications of a request, the last one apart: 20 ms.
    pub progress_interval: Duration,
    /// How long sealed state of a request that waits for input stays valid: 1 hour.
    pub state_time: Duration,
    /// Bytes of a request's headers over HTTP: 32 KiB.
    pub header_bytes: usize,
    /// HTTP connections that `serve_http` keeps at once: 10,000. When all are taken, or the
    /// process has no descriptors left, the connection that has been idle for longest is closed in
    /// favour of a new one. If none is idle, the new one gets a short response with status 503.
    pub connections: usize,
    /// How often a quiet stream of events gets a comment, so that nothing on the way closes it:
    /// 15 seconds.
    pub keep_alive: Duration,
    /// Events of one legacy stream that are kept for a client that comes back: 256.
    pub kept_events: usize,
    /// How long a client of `serve_http` may take from the moment its connection is accepted until
    /// the head of its first request is complete, TLS handshake and HTTP/2 preface included: 10
    /// seconds.
    pub header_time: Duration,
    /// How long a connection of `serve_http` may be idle, and how long the head of a later request
    /// may take: 1 minute. An idle connection that breaks without a word is found within the same
    /// time.
    pub connection_idle_time: Duration,
    /// How long the body of an HTTP request may take: 1 minute. It counts as a request in flight
    /// only when it has arrived.
    pub body_time: Duration,
    /// Bytes a second at which the body of an HTTP request has to arrive, measured over every 5
    /// seconds: 1 KiB. Zero means any rate.
    pub body_rate: usize,
    /// Bytes of HTTP bodies that are still arriving or whose requests are in flight, of all peers
    /// together: 256 MiB. Bodies up to 4 KiB are not counted once they have arrived. A request
    /// that needs more is refused with 503.
    pub body_bytes: usize,
    /// How long a client may leave a response, or what is left of it, unread: 30 seconds. Then its
    /// connection is closed; over HTTP/2 its stream is reset.
    pub write_time: Duration,
    /// Requests of one peer that run at once over HTTP: 256.
    pub requests_per_peer: usize,
    /// HTTP connections of one address that `serve_http` keeps at once: 2,500. One more takes the
    /// place of the one of the same address that has been idle for longest.
    pub connections_per_peer: usize,
    /// Sessions of one peer over HTTP: 2,500. One more takes the place of the one of the same peer
    /// that has been idle for longest.
    pub sessions_per_peer: usize,
    /// Bytes of HTTP bodies that are still arriving or whose requests are in flight, of one peer:
    /// 64 MiB.
    pub body_bytes_per_peer: usize,
    /// Bytes of messages that wait for the slow HTTP clients of one peer: 16 MiB. Beyond it, each
    /// of the peer's responses may hold one message.
    pub queued_bytes_per_peer: usize,
    /// Bytes of messages that wait for slow HTTP clients in all: 128 MiB. Beyond it, each response
    /// may hold one message.
    pub all_queued_bytes: usize,
    /// Bytes of one URI of a resource or template that a peer names in a request: 8 KiB. A longer
    /// one is refused with -32602 before it is matched with anything.
    pub uri_bytes: usize,
    /// Bytes of JSON text in which a peer describes itself, in `clientInfo` and capabilities
    /// together: 64 KiB. The same for the whole `_meta` of a request that lasts, such as
    /// `subscriptions/listen`. Longer ones are refused with -32602.
    pub peer_bytes: usize,
    /// Bytes of a request's id, a progress token and a `traceparent`: 1 KiB. Longer ones are
    /// refused with -32602.
    pub id_bytes: usize,
    /// Bytes of memory that sessions over HTTP and subscriptions keep for their peers: 256 MiB,
    /// and a quarter of it for one peer. What peers say about themselves counts 24 times its text,
    /// URIs twice, and each session and subscription with 4 KiB in addition. Sessions that have
    /// been idle for longest are closed in favour of others; a subscription too many is refused.
    pub retained_bytes: usize,
}

/// Bytes of the URIs that one subscription, session or connection may name: they are kept as long as
/// it lasts.
pub(crate) const SUBSCRIBED_BYTES: usize = 256 << 10;

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            message_values: 100_000,
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
            header_time: Duration::from_secs(10),
            connection_idle_time: Duration::from_secs(60),
            body_time: Duration::from_secs(60),
            body_rate: 1 << 10,
            body_bytes: 256 << 20,
            write_time: Duration::from_secs(30),
            requests_per_peer: 256,
            connections_per_peer: 2_500,
            sessions_per_peer: 2_500,
            body_bytes_per_peer: 64 << 20,
            queued_bytes_per_peer: 16 << 20,
            all_queued_bytes: 128 << 20,
            uri_bytes: 8 << 10,
            peer_bytes: 64 << 10,
            id_bytes: 1 << 10,
            retained_bytes: 256 << 20,
        }
    }
}
