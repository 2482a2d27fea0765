//! [`Limits`]: how much a server may send, and how long it may take.

use std::time::Duration;

/// Bounds on the memory and the time that a server can use. The defaults suit most clients.
///
/// `usize::MAX` and `Duration::MAX` mean no bound. A timeout of zero elapses unless the result is
/// already there. A connection works with every value: a call is sent at least once, and one event
/// and one message can be queued.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a message in bytes: 16 MiB.
    pub message_bytes: usize,
    /// The timeout of a call: 1 minute. [`Call::timeout`](crate::Call::timeout) overrides it.
    pub call_time: Duration,
    /// If set, the client asks for reports of progress of every call, and each report restarts the
    /// timeout of its call, up to this time in total: not set.
    /// [`Call::while_progressing`](crate::Call::while_progressing) sets it for one call.
    pub progress_time: Option<Duration>,
    /// The time after which the client begins the handshake of older revisions if the server has
    /// not answered `server/discover`: 5 seconds. The response is still accepted until
    /// [`call_time`](Self::call_time) has elapsed, because a server may start slowly. A server of both
    /// eras over a byte stream, such as a program, has a session then.
    pub probe_time: Duration,
    /// The timeout of connecting to a server over HTTP, without TLS: 10 seconds.
    pub connect_time: Duration,
    /// How long the timeout of a call pauses at most while `Authorize::rejected` runs, for example
    /// because the user has to log in: 10 minutes.
    pub authorize_time: Duration,
    /// How often a call is sent if each response asks questions: 16 times.
    pub rounds: usize,
    /// The number of questions of the server that handlers answer at once: 64.
    ///
    /// A server of an older revision asks with requests; further ones are refused. A server without
    /// sessions answers a call with questions. If one response has more of them, the call fails
    /// with [`CallError::Questions`](crate::CallError) and no handler is called. Questions of
    /// several calls wait, each at most for the timeout of its call.
    pub server_requests: usize,
    /// The number of events that a [`Subscription`](crate::Subscription) queues: 1024. Further ones
    /// are replaced by one [`Missed`](crate::SubscriptionEvent::Missed).
    pub pending_events: usize,
    /// The first pause before an interrupted subscription is opened again: 500 milliseconds. It
    /// doubles each time, and is never shorter than 10 milliseconds.
    pub retry_first: Duration,
    /// The longest such pause: 30 seconds.
    pub retry_most: Duration,
    /// The number of pages of a list after which no further page is requested: 1,000.
    pub list_pages: usize,
    /// The number of elements of a list after which no further page is requested: 100,000.
    pub list_items: usize,
    /// The size of a list in bytes after which no further page is requested: 64 MiB.
    pub list_bytes: usize,
    /// The number of bytes that are queued for a server that does not read, before calls wait: 1
    /// MiB.
    pub queued_bytes: usize,
    /// The size of the queued [events](Self::pending_events) in bytes: 4 MiB. A single event may be
    /// larger.
    pub pending_bytes: usize,
    /// The size in bytes of the requests of a server of an older revision that handlers answer at
    /// once: 32 MiB. A single request may be larger; further ones are then refused.
    pub server_request_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            call_time: Duration::from_secs(60),
            progress_time: None,
            probe_time: Duration::from_secs(5),
            connect_time: Duration::from_secs(10),
            authorize_time: Duration::from_secs(600),
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
