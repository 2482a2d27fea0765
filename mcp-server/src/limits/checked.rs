//! Checks [`Limits`], and makes those that mean "unlimited" low enough to calculate with.

use std::time::Duration;

use super::Limits;
use crate::error::BuildError;

/// The longest time that is measured, some 30 years. Times are added to each other and to the
/// current time, which must not overflow.
const LONGEST: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The highest count and size that is measured: numbers are added to each other, and a semaphore
/// has no more permits.
const MOST: usize = usize::MAX >> 4;

/// A limit that may mean "unlimited".
trait Finite {
    /// Returns the limit, or the highest value that sums do not overflow with.
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
    /// Returns the same limits, with those that mean "unlimited" low enough to calculate with.
    ///
    /// # Errors
    ///
    /// [`BuildError::Invalid`] for a limit with which nothing could be served.
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
                    reason: "it is zero, so that nothing could be served".to_owned(),
                });
            }
        }
        // Without `..`, so that a new limit cannot be forgotten.
        Ok(Self {
            message_bytes: self.message_bytes.finite(),
            message_values: self.message_values.finite(),
            batch: self.batch.finite(),
            concurrent_requests: self.concurrent_requests.finite(),
            subscriptions: self.subscriptions.finite(),
            all_subscriptions: self.all_subscriptions.finite(),
            subscribed_resources: self.subscribed_resources.finite(),
            queued_bytes: self.queued_bytes.finite(),
            first_message_time: self.first_message_time.finite(),
            request_time: self.request_time.finite(),
            grace_time: self.grace_time.finite(),
            sessions: self.sessions.finite(),
            session_idle_time: self.session_idle_time.finite(),
            progress_interval: self.progress_interval.finite(),
            state_time: self.state_time.finite(),
            header_bytes: self.header_bytes.finite(),
            connections: self.connections.finite(),
            keep_alive: self.keep_alive.finite(),
            kept_events: self.kept_events.finite(),
            header_time: self.header_time.finite(),
            connection_idle_time: self.connection_idle_time.finite(),
            body_time: self.body_time.finite(),
            body_rate: self.body_rate.finite(),
            body_bytes: self.body_bytes.finite(),
            write_time: self.write_time.finite(),
            requests_per_peer: self.requests_per_peer.finite(),
            connections_per_peer: self.connections_per_peer.finite(),
            sessions_per_peer: self.sessions_per_peer.finite(),
            body_bytes_per_peer: self.body_bytes_per_peer.finite(),
            queued_bytes_per_peer: self.queued_bytes_per_peer.finite(),
            all_queued_bytes: self.all_queued_bytes.finite(),
            uri_bytes: self.uri_bytes.finite(),
            peer_bytes: self.peer_bytes.finite(),
            id_bytes: self.id_bytes.finite(),
            retained_bytes: self.retained_bytes.finite(),
        })
    }
}
