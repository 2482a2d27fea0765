//! Limits the length of URIs in requests.

use crate::protocol::core::Core;
use crate::protocol::handler_error::HandlerError;

/// Rejects a URI that is longer than [`Limits::uri_bytes`](field@crate::Limits::uri_bytes), before
/// it is matched with templates or stored. `place` is its JSON path in the params.
pub(crate) fn check_uri(
    core: &Core,
    place: impl std::fmt::Display,
    uri: &str,
) -> Result<(), HandlerError> {
    let limit = core.limits().uri_bytes;
    if uri.len() <= limit {
        return Ok(());
    }
    Err(HandlerError::invalid_params(format!(
        "{place}: the URI has {} bytes, the limit is {limit}",
        uri.len()
    )))
}
