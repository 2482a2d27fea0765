//! Members of the params of a request, and the error for a method that the gateway does not pass on.

use mcp_server::HandlerError;
use mcp_server::types::json::Map;
use mcp_server::types::rpc::ErrorObject;
use serde_json::value::RawValue;

use crate::error::short;

/// Returns the error for a method that no upstream gets.
pub(super) fn unknown_method(method: &str) -> HandlerError {
    let text = format!("no method `{}`", short(method));
    HandlerError::from(ErrorObject::method_not_found(text))
}

/// Returns a member of params that is a string.
pub(super) fn text(params: &Map<Box<RawValue>>, name: &str) -> Result<String, HandlerError> {
    let value = params.get(name);
    let value =
        value.ok_or_else(|| HandlerError::invalid_params(format!("$.{name} is missing")))?;
    serde_json::from_str(value.get())
        .map_err(|_| HandlerError::invalid_params(format!("$.{name}: expected a string")))
}
