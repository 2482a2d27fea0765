//! [`Limits`]: how much a server may send, and how long it may take.

use std::time::Duration;

/// Bounds on everything that a server can make grow or last. The defaults suit most clients.
///
/// `usize::MAX` and `Duration::MAX` mean no bound. A time of zero allows only what needs no waiting.
/// A connection works with every value: a call is sent at least once, and one event and one message
/// can be queued.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message: 16 MiB.
    pub message_bytes: usize,
    /// The timeout of a call: 1 minute. [`Call::timeout`](crate::Call::timeout) overrides it.
    pub call_time: Duration,
    /// The timeout of the probe for the era of the server, after which the client begins with the
    /// handshake of older revisions: 5 seconds.
    pub probe_time: Duration,
    /// The timeout of connecting to a server over HTTP, without TLS: 10 seconds.
    pub connect_time: Duration,
    /// How often a call is sent whose response asks questions again and again: 16 times.
    pub rounds: usize,
    /// Questions of the server that handlers work on at once: 64.
    ///
    /// A server of an older revision asks by requests; one more is refused. A server of the newest
    /// revision answers a call with questions: more of them in one answer end the call with
    /// [`CallError::Questions`](crate::CallError), and no handler sees any. Those of several calls
    /// wait for their turn, each no longer than the timeout of its call.
    pub server_requests: usize,
    /// Events that a [`Subscription`](crate::Subscription) queues for the program: 1024. One
    /// [`Missed`](crate::SubscriptionEvent::Missed) stands for all further ones.
    pub pending_events: usize,
    /// The first pause before a subscription is tried again whose connection broke: 500 milliseconds.
    /// It doubles each time, and is never shorter than 10 milliseconds.
    pub retry_first: Duration,
    /// The longest such pause: 30 seconds.
    pub retry_most: Duration,
    /// Pages of a list that are requested before the list counts as endless: 1,000.
    pub list_pages: usize,
    /// Elements of a list after which no further page is requested: 100,000.
    pub list_items: usize,
    /// Bytes of a list after which no further page is requested: 64 MiB.
    pub list_bytes: usize,
    /// Bytes that are queued for a server that does not read before calls wait: 1 MiB.
    pub queued_bytes: usize,
    /// Bytes of the messages of queued events, see [`pending_events`](Self::pending_events): 4 MiB.
    /// One event may be larger.
    pub pending_bytes: usize,
    /// Bytes of the requests of a server of an older revision that handlers work on at once: 32 MiB.
    /// One request may be larger; further ones are refused then.
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
