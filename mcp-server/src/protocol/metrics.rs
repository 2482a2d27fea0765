//! [`Metrics`]: gauges and counters of a server, and the code that counts.
//!
//! Gauges are read from existing tables and semaphores when a snapshot is created.
//! Counters are relaxed atomics; those that every request increments are sharded, so that worker
//! threads do not contend for a cache line.

#[cfg(feature = "http")]
pub(crate) mod counters;
pub(crate) mod open_metrics;
pub(crate) mod operations;
pub(crate) mod refusals;

use operations::Operation;
use refusals::Refusals;

/// A snapshot of what a server does. Created by
/// [`Server::metrics`](crate::Server::metrics).
///
/// Gauges show the current values, counters count since the server was built. The values of all
/// endpoints of the server in this process are added. Gauges are not read atomically, so they may
/// be inconsistent with each other by a few requests. Connections, sessions, HTTP requests and
/// refusals are those over HTTP: without the feature `http` they are 0.
/// [`operations`](Self::operations) are counted on every transport.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Open connections of `serve_http`. Connections of a program that mounts the
    /// service in its own HTTP stack are not counted.
    pub connections: usize,
    /// Sessions of legacy revisions in this process, including idle ones.
    pub sessions: usize,
    /// Open channels of the deprecated transport HTTP+SSE.
    pub http_sse_channels: usize,
    /// Requests that hold one of the permits of
    /// [`Limits::concurrent_requests`](field@crate::Limits::concurrent_requests).
    pub requests_in_flight: usize,
    /// Requests of `subscriptions/listen` in flight, over all transports.
    pub subscriptions: usize,
    /// Bytes of messages that wait for clients to read them.
    pub queued_bytes: usize,
    /// Connections that `serve_http` has accepted.
    pub accepted_connections: u64,
    /// HTTP requests, including rejected ones. A batch is one request.
    pub requests: u64,
    /// Bytes of the bodies of HTTP requests.
    pub request_bytes: u64,
    /// Rejected requests and connections, by cause.
    pub refusals: Refusals,
    /// Requests by method and tool, on every transport: those that reached a handler or middleware,
    /// and those of unknown methods. `initialize` is not among them.
    ///
    /// Each request counts once: calls of a tool that the server has count for the tool, all
    /// others for their method. There are as many elements as the server has methods and tools, so
    /// clients cannot add any. A tool that is replaced while the server runs starts from 0.
    pub operations: Vec<Operation>,
    /// What the [stores](crate::Store) of the server do.
    pub store: StoreMetrics,
}

/// Gauges and counters of the [stores](crate::Store) of a server, those in memory included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreMetrics {
    /// Operations in progress.
    pub running: usize,
    /// Operations so far.
    pub operations: u64,
    /// Operations that failed or took longer than
    /// [`Limits::store_time`](field@crate::Limits::store_time).
    pub failures: u64,
    /// The time that all operations together took, in microseconds.
    pub micros: u64,
    /// Whether the last read of the [`Bus`](crate::Bus) succeeded. `false` without a bus.
    pub bus_connected: bool,
    /// Changes that wait to be published, because the bus is slow or cannot be reached.
    pub bus_waiting: usize,
    /// Messages that this process published.
    pub bus_published: u64,
    /// Messages that this process received, its own included.
    pub bus_received: u64,
    /// How often messages were lost, and all subscribers were notified of everything instead.
    pub bus_missed: u64,
}
