//! Whether the headers of a request say what its body says.

use http::HeaderValue;
use http::header::AsHeaderName;
use http::request::Parts;
use mcp_types::headers::{HeaderMismatch, check_method, check_name, check_version, name_member};
use mcp_types::json::Object;
use mcp_types::rpc::ErrorObject;
use mcp_types::{CallToolRequest, HEADER_MISMATCH, Request, Revision};

use super::header_names::{METHOD, NAME, PROTOCOL_VERSION};
use crate::protocol::core::Server;
use crate::protocol::error::invalid_params;
use crate::protocol::lifecycle;
use crate::protocol::params_view::Head;

/// Compares the headers of a request with its body. A body that names its revision has to repeat
/// itself in the headers; an older one at most names the revision there.
pub(crate) fn check_headers(
    server: &Server,
    parts: &Parts,
    method: &str,
    head: &Head<'_>,
) -> Result<(), ErrorObject> {
    match head.version() {
        Some(version) => modern(server, parts, method, head, &version),
        None => legacy(parts),
    }
}

fn modern(
    server: &Server,
    parts: &Parts,
    method: &str,
    head: &Head<'_>,
    version: &str,
) -> Result<(), ErrorObject> {
    check_version(values(parts, PROTOCOL_VERSION), version).map_err(|error| mismatch(&error))?;
    if version != Revision::LATEST.as_str() {
        // The engine says which ones there are.
        return Ok(());
    }
    check_method(values(parts, METHOD), method).map_err(|error| mismatch(&error))?;
    let Some(member) = name_member(method) else {
        return Ok(());
    };
    let name = match member {
        "name" | "uri" => head.params().text(member),
        _ => None,
    };
    // Where the body has none, its own fault is the one to tell of.
    let Some(name) = name else {
        return Ok(());
    };
    check_name(values(parts, NAME), &name).map_err(|error| mismatch(&error))?;
    if method == CallToolRequest::METHOD {
        check_params(server, parts, &name, head)?;
    }
    Ok(())
}

fn check_params(
    server: &Server,
    parts: &Parts,
    tool: &str,
    head: &Head<'_>,
) -> Result<(), ErrorObject> {
    let Some(tool) = server.inner.features.tools.get(tool) else {
        return Ok(());
    };
    if tool.header_params().is_empty() {
        return Ok(());
    }
    let arguments = head.params().optional::<Object>("arguments");
    let arguments = arguments.map_err(|error| invalid_params(CallToolRequest::METHOD, &error))?;
    for param in tool.header_params() {
        param
            .matches(values(parts, param.header()), arguments.as_ref())
            .map_err(|error| mismatch(&error))?;
    }
    Ok(())
}

fn legacy(parts: &Parts) -> Result<(), ErrorObject> {
    for value in values(parts, PROTOCOL_VERSION) {
        let text = String::from_utf8_lossy(value);
        match text.trim().parse::<Revision>() {
            Ok(Revision::LATEST) => {
                return Err(ErrorObject::invalid_params(format!(
                    "params lack `_meta.{}`, which the header {PROTOCOL_VERSION} asks for",
                    crate::protocol::params_view::PROTOCOL_VERSION,
                )));
            }
            Ok(_) => {}
            Err(_) => return Err(lifecycle::unsupported(text.trim())),
        }
    }
    Ok(())
}

fn values(parts: &Parts, name: impl AsHeaderName) -> impl Iterator<Item = &[u8]> {
    let values = parts.headers.get_all(name);
    values.into_iter().map(HeaderValue::as_bytes)
}

fn mismatch(error: &HeaderMismatch) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, error.to_string())
}
