//! Encodes notifications.

use mcp_types::Revision;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc;

use crate::protocol::handler_error::{HandlerError, bad_params};

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
