//! Limits on the memory, work and time that peers can make the server spend.

use std::time::Duration;

use crate::protocol::error::BuildError;

/// The maximum size of the URIs that one subscription, session or connection may name, in bytes.
/// They are stored as long as it lasts.
pub(crate) const SUBSCRIBED_BYTES: usize = 256 << 10;

/// Defines the struct of the limits, its defaults and its setters.
macro_rules! limits {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $kind:ty = $default:expr,)*
        }
    ) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// Setters, each named after its field. See the field for meaning and unit.
        impl $name {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*

            /// Lowers all limits that mean "unlimited" to values that can be added to each other.
            fn finite(self) -> Self {
                Self { $($field: self.$field.finite(),)* }
            }
        }
    };
}

limits! {
    /// Limits on everything that a peer could make grow or last. The defaults suit most servers.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_server::{Limits, Server};
    ///
    /// let limits = Limits::default()
    ///     .request_time(Duration::from_secs(5))
    ///     .message_bytes(64 << 10);
    /// assert_eq!(limits.message_bytes, 65_536);
    /// let server = Server::builder("example", "1.0.0").limits(limits).build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    ///
    /// The nesting depth of JSON is fixed: [`NESTING_LIMIT`](mcp_types::json::NESTING_LIMIT).
    ///
    /// A peer is an authenticated [`Principal`](crate::Principal). Without a principal, a peer is the
    /// `PeerAddress` of an HTTP request (for IPv6 its /64 network), or else one pair of byte streams.
    /// HTTP requests without a principal and a `PeerAddress` count for the totals only: this happens if
    /// the service runs in a stack that does not attach the address of the connection.
    ///
    /// [`Duration::MAX`] and [`usize::MAX`] mean that there is no limit.
    ///
    /// # Memory
    ///
    /// All HTTP peers together can make the server use at most this memory, in bytes, besides what
    /// handlers allocate:
    ///
    /// ```text
    ///   retained_bytes                         sessions, channels of HTTP+SSE, subscriptions
    /// + connections * (header_bytes + 64 KiB)  buffers and request heads; over HTTP/2 one head per
    ///                                          stream
    /// + all_subscriptions * header_bytes       request heads of subscriptions
    /// + 25 * body_bytes                        bodies that arrive or are served, and the values decoded
    ///                                          from them: at most 24 bytes of memory per byte of text
    /// + concurrent_requests * (header_bytes + 100 KiB)
    ///                                          other requests in flight, each with up to 4 KiB of text
    /// + all_queued_bytes                       messages for clients that read slowly, and one message
    ///                                          of the handler per response
    /// + 64 MiB                                 events stored for clients that reconnect
    /// ```
    ///
    /// A connection over byte streams uses up to `24 * peer_bytes` and 512 KiB for its session, up to
    /// `queued_bytes` of messages, and `25 * message_bytes` for each of its `concurrent_requests`. A
    /// program that accepts such connections from strangers has to limit their number.
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    pub struct Limits {
        /// The maximum size of a message and of an HTTP body, in bytes. Default: 4 MiB. Larger HTTP
        /// bodies are rejected with 413.
        pub message_bytes: usize = 4 << 20,
        /// The maximum number of JSON values in the params of a message, and in a client's response to
        /// a request of the server. Default: 100,000. Members, elements, arrays and objects count; a
        /// string counts once, however long it is. Even the shortest value costs time and memory: 4 MiB
        /// of them would occupy a thread for too long. Requests with more values are rejected with
        /// -32602. A handler that waits for such a response gets `InputError::Answer`.
        pub message_values: usize = 100_000,
        /// The maximum number of messages in a batch of revision 2025-03-26. Default: 100.
        pub batch: usize = 100,
        /// The maximum number of concurrent requests per connection over byte streams, and over HTTP of
        /// all connections together. Default: 1,024. Further requests are rejected; responses and
        /// cancellations in sessions are accepted, because requests in flight may wait for them.
        /// Requests for URLs of resources are counted separately.
        pub concurrent_requests: usize = 1_024,
        /// The maximum number of concurrent `subscriptions/listen` requests of one peer. Default:
        /// 1,024.
        pub subscriptions: usize = 1_024,
        /// The maximum number of concurrent `subscriptions/listen` requests of all peers together.
        /// Default: 10,000.
        pub all_subscriptions: usize = 10_000,
        /// The maximum number of resources that one subscription, session or connection may name.
        /// Default: 1,024. Their URIs may have 256 KiB in total.
        pub subscribed_resources: usize = 1_024,
        /// The maximum number of bytes queued for a slow reader of one response or connection. Handlers
        /// that send more wait. Default: 1 MiB.
        pub queued_bytes: usize = 1 << 20,
        /// The maximum time until the first message on a pair of byte streams. Default: 1 minute. It
        /// does not apply to standard input, because that peer started the process.
        pub first_message_time: Duration = Duration::from_secs(60),
        /// The maximum duration of a request. Default: 5 minutes. It does not apply to subscriptions.
        pub request_time: Duration = Duration::from_secs(300),
        /// The maximum time that requests in flight may continue after the end of the input or after a
        /// shutdown began. Then they end with an error. Tasks have the same time after a shutdown began.
        /// Default: 10 seconds.
        pub grace_time: Duration = Duration::from_secs(10),
        /// The maximum number of legacy sessions over HTTP. Default: 10,000. A new session replaces the
        /// one that has been idle for longest; if none is idle, the new one is rejected. The same
        /// number applies, separately, to channels of the deprecated HTTP+SSE, where a new one is
        /// always rejected.
        pub sessions: usize = 10_000,
        /// The time after which an idle session ends. Default: 30 minutes. If processes share sessions,
        /// it may be half as long again, because not every use is written to the store.
        pub session_idle_time: Duration = Duration::from_secs(1_800),
        /// The maximum time that a request waits for one operation of a [`Store`](crate::Store).
        /// Default: 5 seconds.
        pub store_time: Duration = Duration::from_secs(5),
        /// The maximum size of a value of [`Stored`](crate::Stored), in bytes of JSON. Default: 64 KiB.
        pub stored_bytes: usize = 64 << 10,
        /// The maximum number of values of [`Stored`](crate::Stored) of one user. Default: 64.
        pub stored_values: usize = 64,
        /// The minimum time between two progress notifications of a request. The final notification is
        /// always sent. Default: 20 ms.
        pub progress_interval: Duration = Duration::from_millis(20),
        /// The time for which the sealed state of a request that waits for input stays valid. Default:
        /// 1 hour.
        pub state_time: Duration = Duration::from_secs(3_600),
        /// The maximum number of calls of [`Context::detached`](crate::Context::detached) that run or
        /// wait for answers. Default: 1,024.
        pub detached_calls: usize = 1_024,
        /// The maximum number of such calls of one peer. Default: 64.
        pub detached_per_peer: usize = 64,
        /// The maximum size of the headers of an HTTP request, in bytes. Default: 32 KiB.
        pub header_bytes: usize = 32 << 10,
        /// The maximum number of HTTP connections of `serve_http`. Default: 10,000. At the maximum, or
        /// if the process has no file descriptors left, a new connection replaces the one that has been
        /// idle for longest. If none is idle, the new one gets a short response with status 503.
        pub connections: usize = 10_000,
        /// The interval at which comments are sent on an event stream without events, so that no
        /// intermediary closes it. Default: 15 seconds.
        pub keep_alive: Duration = Duration::from_secs(15),
        /// The maximum number of events of one legacy stream that are stored for a client that
        /// reconnects. Default: 256.
        pub kept_events: usize = 256,
        /// The maximum time from accepting a connection of `serve_http` until the head of its first
        /// request is complete, including the TLS handshake and the HTTP/2 preface. Default: 10
        /// seconds.
        pub header_time: Duration = Duration::from_secs(10),
        /// The maximum time that a connection of `serve_http` may be idle, and that the head of a later
        /// request may take. Default: 1 minute. Idle connections whose peer vanished are detected
        /// within the same time.
        pub connection_idle_time: Duration = Duration::from_secs(60),
        /// The maximum time that the body of an HTTP request may take. Default: 1 minute. The request
        /// counts as in flight only after its body has arrived.
        pub body_time: Duration = Duration::from_secs(60),
        /// The minimum rate at which the body of an HTTP request has to arrive, in bytes per second,
        /// measured over periods of 5 seconds. Default: 1 KiB. Zero allows any rate.
        pub body_rate: usize = 1 << 10,
        /// The maximum number of bytes of HTTP bodies that are arriving or whose requests are in
        /// flight, of all peers together. Default: 256 MiB. Bodies of up to 4 KiB are not counted after
        /// they have arrived. Requests that exceed it are rejected with 503.
        pub body_bytes: usize = 256 << 20,
        /// The maximum time that a client may leave a response, or the rest of it, unread. Default: 30
        /// seconds. Then its connection is closed; over HTTP/2 the stream is reset.
        pub write_time: Duration = Duration::from_secs(30),
        /// The maximum number of concurrent HTTP requests of one peer. Default: 256.
        pub requests_per_peer: usize = 256,
        /// The maximum number of HTTP requests of one address that are being authenticated at the same
        /// time, see `Authenticate`: for example while keys of the issuer of a token are loaded. Default:
        /// 8. All addresses together have `concurrent_requests`. Further
        /// requests are rejected with 429 and 503. Requests for public routes whose responses an
        /// `Authenticate` computes have the same limit, and are counted separately.
        pub verifications_per_peer: usize = 8,
        /// The maximum number of HTTP connections of one address to `serve_http`. Default: 2,500. A new
        /// connection replaces the one of the same address that has been idle for longest.
        pub connections_per_peer: usize = 2_500,
        /// The maximum number of sessions of one peer over HTTP. Default: 2,500. A new session replaces
        /// the one of the same peer that has been idle for longest.
        pub sessions_per_peer: usize = 2_500,
        /// The maximum number of messages that one peer may make this process send to the others that
        /// share its [`Store`](crate::Store), within 10 seconds: responses and cancellations that
        /// another process may wait for, changes and ends of sessions, and new streams of
        /// announcements. Default: 512. A large one counts once for every 16 KiB. Further ones are
        /// rejected with 429.
        pub bus_messages_per_peer: usize = 512,
        /// As [`body_bytes`](field@Self::body_bytes), of one peer. Default: 64 MiB.
        pub body_bytes_per_peer: usize = 64 << 20,
        /// The maximum number of bytes queued for slow HTTP clients of one peer. Beyond it, each
        /// response of the peer may queue one message, and if several wait to be read, its further
        /// requests are rejected with 429. Default: 16 MiB.
        pub queued_bytes_per_peer: usize = 16 << 20,
        /// The maximum number of bytes queued for slow HTTP clients of all peers together. Beyond it,
        /// each response may queue one message, and further requests of peers with several responses
        /// that wait to be read are rejected with 429. Default: 128 MiB.
        pub all_queued_bytes: usize = 128 << 20,
        /// The maximum size of a URI of a resource or template in a request, in bytes. Default: 8 KiB.
        /// Longer ones are rejected with -32602 before they are compared with anything.
        pub uri_bytes: usize = 8 << 10,
        /// The maximum size of `clientInfo` and the client's capabilities together, in bytes of JSON
        /// text. Default: 64 KiB. The same applies to `_meta` of `subscriptions/listen`. Longer ones
        /// are rejected with -32602.
        pub peer_bytes: usize = 64 << 10,
        /// The maximum size of a request's id, a progress token and a `traceparent`, in bytes each.
        /// Default: 1 KiB. Longer ones are rejected with -32602.
        pub id_bytes: usize = 1 << 10,
        /// The maximum memory of sessions over HTTP, of subscriptions and of running tasks, in bytes.
        /// Default: 256 MiB. One peer may use a quarter of it. The description of a client and the params
        /// of a task count 24 times their text, URIs and the HTTP headers of a task count twice, and each
        /// session, subscription and task counts 4 KiB in addition. New sessions replace those that have
        /// been idle for longest; a subscription or task that exceeds the limit is rejected.
        pub retained_bytes: usize = 256 << 20,
    }
}

/// The maximum duration, some 30 years. Durations are added to each other and to the current time,
/// which must not overflow.
const LONGEST: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The maximum count and size. Numbers are added to each other, and a semaphore has at most this
/// number of permits.
const MOST: usize = usize::MAX >> 4;

/// A limit that may mean "unlimited".
trait Finite {
    /// Returns the limit, or the highest value with which sums do not overflow.
    fn finite(self) -> Self;
}

impl Finite for Duration {
    fn finite(self) -> Self {
        self.min(LONGEST)
    }
}

impl Finite for usize {
    fn finite(self) -> Self {
        self.min(MOST)
    }
}

impl Limits {
    /// Validates the limits, and lowers those that mean "unlimited" to values that can be added to
    /// each other.
    ///
    /// # Errors
    ///
    /// [`BuildError::Invalid`] for a limit that must not be zero.
    pub(crate) fn checked(self) -> Result<Self, BuildError> {
        for (name, is_zero) in [
            ("message_bytes", self.message_bytes == 0),
            ("keep_alive", self.keep_alive.is_zero()),
            ("header_time", self.header_time.is_zero()),
            ("connection_idle_time", self.connection_idle_time.is_zero()),
            ("write_time", self.write_time.is_zero()),
        ] {
            if is_zero {
                return Err(BuildError::Invalid {
                    kind: "limit",
                    name: name.to_owned(),
                    reason: "expected more than zero, found zero: the server could not answer any request".to_owned(),
                });
            }
        }
        Ok(self.finite())
    }
}
