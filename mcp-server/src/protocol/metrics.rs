//! [`Metrics`]: gauges and counters of a server, and where they are counted.
//!
//! Gauges are read from the tables and semaphores that exist anyway when somebody asks for them.
//! Counters are relaxed atomics; those that every request increments are sharded, so that worker
//! threads do not contend for a cache line.

pub(crate) mod counters;
pub(crate) mod open_metrics;
pub(crate) mod refusals;
pub(crate) mod snapshot;

use refusals::Refusals;

/// A snapshot of what a server does over HTTP. Created by [`Server::metrics`](crate::Server::metrics).
///
/// Gauges are of this moment, counters are since the server was built. All endpoints of the server
/// in this process are added up. Gauges are read one after the other, so they may differ by what
/// happens meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Open connections of `serve_http` and `serve_https`. A program that mounts the service in a
    /// stack of its own counts its connections itself.
    pub connections: usize,
    /// Sessions of older revisions in this process, idle ones included.
    pub sessions: usize,
    /// Open channels of the deprecated transport HTTP+SSE.
    pub http_sse_channels: usize,
    /// Requests that hold one of the permits of
    /// [`Limits::concurrent_requests`](crate::Limits::concurrent_requests).
    pub requests_in_flight: usize,
    /// Requests of `subscriptions/listen` in flight, over all transports.
    pub subscriptions: usize,
    /// Bytes of messages that wait for clients to read them.
    pub queued_bytes: usize,
    /// Connections that `serve_http` and `serve_https` have accepted.
    pub accepted_connections: u64,
    /// HTTP requests, those that were refused included. A batch is one request.
    pub requests: u64,
    /// Bytes of the bodies of HTTP requests.
    pub request_bytes: u64,
    /// Requests and connections that were refused, by cause.
    pub refusals: Refusals,
}
