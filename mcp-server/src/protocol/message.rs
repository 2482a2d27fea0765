//! Messages: the params of a request, its answer, and notifications to the peer.

pub(crate) mod answer;
pub(crate) mod message_sink;
pub(crate) mod params_view;
pub(crate) mod raw_object;

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Revision, rpc};

use crate::protocol::error::handler_error::{HandlerError, bad_params};

/// Names of the methods that dispatch and transports treat in a special way.
pub(crate) mod methods {
    pub(crate) const INITIALIZE: &str = "initialize";
    pub(crate) const INITIALIZED: &str = "notifications/initialized";
    pub(crate) const PING: &str = "ping";
    pub(crate) const CANCELLED: &str = "notifications/cancelled";
    pub(crate) const LISTEN: &str = "subscriptions/listen";
}

/// Encodes a notification for a peer of `revision`.
pub(crate) fn notification<P: Versioned>(
    revision: Revision,
    method: &'static str,
    params: P,
) -> Result<Vec<u8>, HandlerError> {
    let mut message = Vec::with_capacity(256);
    rpc::write_notification_at(&mut message, method, params, revision).map_err(
        |error| match error {
            // An internal error, because the peer cannot correct it.
            VersionError::Encode(error) => error.into(),
            error => bad_params(method, &error),
        },
    )?;
    Ok(message)
}
