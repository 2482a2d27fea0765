//! [`RefusalCause`]: why requests and connections are rejected.

use std::fmt;

/// Why a server rejected a request or a connection over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RefusalCause {
    /// The header `Host` does not name the server.
    Host,
    /// The header `Origin` names an origin that may not send requests.
    Origin,
    /// The HTTP method is not supported.
    Method,
    /// `Accept` or `Content-Type` lack a media type of the protocol.
    MediaType,
    /// The body is larger than [`Limits::message_bytes`](field@crate::Limits::message_bytes).
    BodyTooLarge,
    /// The body did not arrive in time.
    BodyTimeout,
    /// The headers are malformed, the body could not be read, or the body is a response to no
    /// request.
    Malformed,
    /// All peers together have too many requests in flight.
    Requests,
    /// The peer has exhausted its share of a limit.
    PeerQuota,
    /// Too many sessions or HTTP+SSE channels are open.
    Sessions,
    /// The session is unknown, has ended, or belongs to another principal.
    UnknownSession,
    /// Too many connections are open.
    Connections,
    /// A connection did not complete a TLS handshake or send a request in time.
    ConnectionTimeout,
    /// The server is shutting down.
    ShuttingDown,
    /// The system failed, for example to return random numbers.
    Internal,
    /// A [`Store`](crate::Store) failed or was too slow.
    Store,
    /// An [`Authenticate`](crate::Authenticate) refused the request: for example, its access token is
    /// missing or not valid, lacks scopes that all requests need, or cannot be verified.
    Unauthorized,
}

/// The number of causes.
pub(crate) const CAUSES: usize = 17;

impl RefusalCause {
    /// All causes with their names, each at the index of its discriminant.
    const ALL: [(Self, &'static str); CAUSES] = [
        (Self::Host, "host"),
        (Self::Origin, "origin"),
        (Self::Method, "method"),
        (Self::MediaType, "media_type"),
        (Self::BodyTooLarge, "body_too_large"),
        (Self::BodyTimeout, "body_timeout"),
        (Self::Malformed, "malformed"),
        (Self::Requests, "requests"),
        (Self::PeerQuota, "peer_quota"),
        (Self::Sessions, "sessions"),
        (Self::UnknownSession, "unknown_session"),
        (Self::Connections, "connections"),
        (Self::ConnectionTimeout, "connection_timeout"),
        (Self::ShuttingDown, "shutting_down"),
        (Self::Internal, "internal"),
        (Self::Store, "store"),
        (Self::Unauthorized, "unauthorized"),
    ];

    /// Returns the name of the cause in the text format, such as `media_type`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        Self::ALL.get(*self as usize).map_or("", |(_, name)| name)
    }
}

impl fmt::Display for RefusalCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The number of rejected requests and connections, by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals(pub(crate) [u64; CAUSES]);

impl Refusals {
    /// Returns the number for one cause.
    #[must_use]
    pub fn count(&self, cause: RefusalCause) -> u64 {
        self.0.get(cause as usize).copied().unwrap_or(0)
    }

    /// Returns the number for all causes together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Iterates over all causes, including those with the number 0.
    pub fn iter(&self) -> impl Iterator<Item = (RefusalCause, u64)> + '_ {
        let causes = RefusalCause::ALL.into_iter().map(|(cause, _)| cause);
        causes.zip(self.0.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_of_each_refusal_cause_is_its_position() {
        for (at, (cause, name)) in RefusalCause::ALL.into_iter().enumerate() {
            assert_eq!((cause as usize, cause.as_str()), (at, name));
        }
    }
}
