//! Setters of [`Limits`] in builder style.

use std::time::Duration;

use super::Limits;
use super::checked::Finite as _;

macro_rules! limits {
    ($($field:ident: $kind:ty,)*) => {
        /// Setters, each named after its field. See the field for meaning and unit.
        impl Limits {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*

            /// Lowers all limits that mean "unlimited" to values that can be added to each other.
            pub(super) fn finite(self) -> Self {
                // Without `..`: a new field has to be added to the list below.
                let Self { $($field,)* } = self;
                Self { $($field: $field.finite(),)* }
            }
        }
    };
}

limits! {
    message_bytes: usize,
    message_values: usize,
    batch: usize,
    concurrent_requests: usize,
    subscriptions: usize,
    all_subscriptions: usize,
    subscribed_resources: usize,
    queued_bytes: usize,
    first_message_time: Duration,
    request_time: Duration,
    grace_time: Duration,
    sessions: usize,
    session_idle_time: Duration,
    store_time: Duration,
    stored_bytes: usize,
    stored_values: usize,
    progress_interval: Duration,
    state_time: Duration,
    detached_calls: usize,
    detached_per_peer: usize,
    header_bytes: usize,
    connections: usize,
    keep_alive: Duration,
    kept_events: usize,
    header_time: Duration,
    connection_idle_time: Duration,
    body_time: Duration,
    body_rate: usize,
    body_bytes: usize,
    write_time: Duration,
    requests_per_peer: usize,
    verifications_per_peer: usize,
    connections_per_peer: usize,
    sessions_per_peer: usize,
    bus_messages_per_peer: usize,
    body_bytes_per_peer: usize,
    queued_bytes_per_peer: usize,
    all_queued_bytes: usize,
    uri_bytes: usize,
    peer_bytes: usize,
    id_bytes: usize,
    retained_bytes: usize,
}
