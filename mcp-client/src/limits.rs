//! How much a server may send, and how long it may take.

use std::time::Duration;

/// Bounds on what a server could make grow or last. The defaults suit most clients.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message: 16 MiB.
    pub message_bytes: usize,
    /// How long a call waits for its answer: 1 minute. A call may say otherwise.
    pub call_time: Duration,
    /// How long the probe for the server's era waits before the server counts as one that begins
    /// with a handshake: 5 seconds.
    pub probe_time: Duration,
    /// How long it may take to reach a server over HTTP, TLS aside: 10 seconds.
    pub connect_time: Duration,
    /// How often a call that is answered with questions is sent again: 16 times.
    pub rounds: usize,
    /// Requests of the server that are worked on at once: 64. One more is refused.
    pub server_requests: usize,
    /// Events that wait for a program that does not take them from its
    /// [`Subscription`](crate::Subscription): 1024. Those of more changes become one.
    pub pending_events: usize,
    /// How long a subscription whose connection broke waits at first before it tries again:
    /// 500 milliseconds. It then waits twice as long each time.
    pub retry_first: Duration,
    /// How long it waits at most: 30 seconds.
    pub retry_most: Duration,
    /// Pages of a list that are asked for before it counts as endless: 1,000.
    pub list_pages: usize,
    /// Elements of a list after which no further page is asked for: 100,000.
    pub list_items: usize,
    /// Bytes of a list after which no further page is asked for: 64 MiB.
    pub list_bytes: usize,
    /// Bytes that wait for a server that does not read before calls have to wait: 1 MiB.
    pub queued_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            call_time: Duration::from_secs(60),
            probe_time: Duration::from_secs(5),
            connect_time: Duration::from_secs(10),
            rounds: 16,
            server_requests: 64,
            pending_events: 1024,
            retry_first: Duration::from_millis(500),
            retry_most: Duration::from_secs(30),
            list_pages: 1_000,
            list_items: 100_000,
            list_bytes: 64 << 20,
            queued_bytes: 1 << 20,
        }
    }
}
