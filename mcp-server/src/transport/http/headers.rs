//! Whether the headers of a request say what its body says.

use crate::protocol::extensions::Extensions;
use crate::protocol::inbound::TransportInfo;
use crate::protocol::lifecycle::unsupported;
use http::HeaderValue;
use http::Version;
use http::header::AsHeaderName;
use http::request::Parts;
use mcp_types::headers::{HeaderMismatch, check_method, check_name, check_version, name_member};
use mcp_types::rpc::ErrorObject;
use mcp_types::{HEADER_MISMATCH, Revision};

use super::header_names::{METHOD, NAME, PROTOCOL_VERSION};
use crate::protocol::params_view::ParamsView;

/// Compares the headers of a request with its body. A body that names its revision has to repeat
/// itself in the headers; an older one at most names the revision there.
pub(crate) fn check(
    extensions: &Extensions,
    method: &str,
    head: &ParamsView<'_>,
) -> Result<(), ErrorObject> {
    let Some(parts) = extensions.parts() else {
        return Ok(());
    };
    match head.version() {
        Some(version) => modern(parts, method, head, &version),
        None => legacy(parts),
    }
}

/// What the spans of requests say about the transport.
pub(crate) fn transport_info(version: Option<Version>) -> TransportInfo {
    let version = match version {
        Some(Version::HTTP_10) => Some("1.0"),
        Some(Version::HTTP_11) => Some("1.1"),
        Some(Version::HTTP_2) => Some("2"),
        Some(Version::HTTP_3) => Some("3"),
        _ => None,
    };
    TransportInfo {
        network: Some("tcp"),
        protocol: Some(("http", version)),
    }
}

fn modern(
    parts: &Parts,
    method: &str,
    head: &ParamsView<'_>,
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
            Err(_) => return Err(unsupported(text.trim())),
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
