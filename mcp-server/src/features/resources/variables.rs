//! The variables of a template that stand in a URI.

use mcp_types::json::Map;
use serde::de::DeserializeOwned;

use crate::protocol::error::{HandlerError, short};
use crate::util::text_values;

/// The variables of a URI, as the type asks for.
pub(crate) fn typed<P: DeserializeOwned>(
    uri: &str,
    variables: Map<String>,
) -> Result<P, HandlerError> {
    text_values::decode(variables).map_err(|error| {
        let uri = short(uri);
        HandlerError::invalid_params(format!("variables of `{uri}`: {error}"))
    })
}
