//! Arguments of tools that are repeated in HTTP headers.

use http::HeaderValue;
use http::request::Parts;
use mcp_types::HEADER_MISMATCH;
use mcp_types::json::Object;

use crate::features::tools::definition::ToolDef;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// Compares the arguments of a call with the headers of its HTTP request, if it arrived over HTTP
/// and its revision repeats arguments there.
pub(crate) fn check(
    tool: &ToolDef,
    arguments: Option<&Object>,
    cx: &Context,
) -> Result<(), HandlerError> {
    if tool.header_params.is_empty() || cx.peer().session().is_some() {
        return Ok(());
    }
    let Some(parts) = cx.extension::<Parts>() else {
        return Ok(());
    };
    for param in &tool.header_params {
        let values = parts.headers.get_all(param.header()).into_iter();
        let values = values.map(HeaderValue::as_bytes);
        param
            .matches(values, arguments)
            .map_err(|error| HandlerError::protocol(HEADER_MISMATCH, error.to_string()))?;
    }
    Ok(())
}
