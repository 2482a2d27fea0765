//! The limit on the length of a URI that a peer names.

use crate::protocol::core::Core;
use crate::protocol::handler_error::HandlerError;

/// Refuses a URI that is longer than [`Limits::uri_bytes`](crate::Limits::uri_bytes), before it is
/// matched with templates or kept. `place` is its JSON path in the params.
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
