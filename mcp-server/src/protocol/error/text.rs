//! The texts of errors, for responses.

use std::error::Error as StdError;

use mcp_types::peer_text::PeerText;
use mcp_types::rpc::ErrorObject;

/// Returns -32602 with the place, for params that do not have the form of the method's params.
pub(crate) fn invalid_params(method: &str, error: &dyn StdError) -> ErrorObject {
    ErrorObject::invalid_params(format!("params of `{}`: {error}", short(method)))
}

/// Returns -32601 with the method's name.
pub(crate) fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{}`", short(method)))
}

/// Truncates and escapes a peer's text so that it can be part of an error message.
pub(crate) fn short(text: &str) -> String {
    PeerText(text).to_string()
}
