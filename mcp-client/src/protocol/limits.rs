//! How much a server may send, and how long it may take.

use std::time::Duration;

/// Bounds on what a server could make grow or last. The defaults suit most clients.
///
/// `usize::MAX` and `Duration::MAX` mean without a bound. A time of zero allows only
/// what needs no waiting. What a
/// connection cannot work without is possible with every value: a call is sent at least once, one
/// event and one message can wait.
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
    /// How often a call is sent that is answered with questions again and again: 16 times. It is
    /// sent at least once.
    pub rounds: usize,
    /// Questions of the server that handlers work on at once: 64.
    ///
    /// A server of an older revision asks by requests; one more is refused. A server of the newest
    /// revision answers a call with questions: more of them in one answer end the call with
    /// [`CallError::Questions`](crate::CallError), and no handler sees any. Those of several calls
    /// wait for their turn, each no longer than the timeout of its call.
    pub server_requests: usize,
    /// Events that wait for a program that does not take them from its
    /// [`Subscription`](crate::Subscription): 1024. Beyond that there is one
    /// [`Missed`](crate::SubscriptionEvent::Missed) for all that were not kept.
    pub pending_events: usize,
    /// How long a subscription whose connection broke waits at first before it tries again:
    /// 500 milliseconds. It then waits twice as long each time, and never less than 10
    /// milliseconds.
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
    /// Bytes of the messages of the events that wait for a program, as
    /// [`pending_events`](Self::pending_events) counts them: 4 MiB. One event may be larger.
    pub pending_bytes: usize,
    /// Bytes of the requests of a server of an older revision that are worked on at once: 32 MiB.
    /// One request may be larger; another one is refused then.
    pub server_request_bytes: usize,
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
            pending_bytes: 4 << 20,
            server_request_bytes: 32 << 20,
        }
    }
}
