//! Compares the headers of a request with its body.

use http::header::AsHeaderName;
use http::request::Parts;
use http::{HeaderValue, Version};
use mcp_types::headers::{
    HeaderMismatch, check_method, check_name, check_version as check_declared_version, name_member,
};
use mcp_types::rpc::ErrorObject;
use mcp_types::{HEADER_MISMATCH, Revision};
use mcp_wire::http_headers::{METHOD, NAME, PROTOCOL_VERSION};

use crate::protocol::caller::Extensions;
use crate::protocol::dispatch::inbound::TransportInfo;
use crate::protocol::dispatch::lifecycle::unsupported;
use crate::protocol::message::params_view::{ParamsView, modern_revision};

/// Checks the headers of a request that has no session.
///
/// # Errors
///
/// The error for the response. It lists all missing and wrong headers and, beside them, the missing
/// members of `_meta`, so that the author of a client does not find them one by one.
pub(crate) fn check(
    extensions: &Extensions,
    method: &str,
    params: &ParamsView<'_>,
) -> Result<(), ErrorObject> {
    let Some(parts) = extensions.parts() else {
        return Ok(());
    };
    if params.version().is_some() {
        return check_modern(parts, method, params);
    }
    check_version(parts).map_err(|requested| unsupported(&requested, Revision::ALL))?;
    check_legacy(parts, method, params)
}

/// Checks the headers of a request in a session. `MCP-Protocol-Version` was checked with
/// [`check_version`] when the session was looked up, and names no revision without a handshake:
/// such a request has no session.
///
/// # Errors
///
/// As [`check`].
pub(crate) fn check_in_session(
    extensions: &Extensions,
    method: &str,
    params: &ParamsView<'_>,
) -> Result<(), ErrorObject> {
    match extensions.parts() {
        Some(parts) if params.version().is_some() => check_modern(parts, method, params),
        _ => Ok(()),
    }
}

/// Checks that each `MCP-Protocol-Version` names a revision that the server supports. The header
/// may be absent.
///
/// # Errors
///
/// The first value that is not supported.
pub(crate) fn check_version(parts: &Parts) -> Result<(), String> {
    let is_known = |name: &[u8]| {
        let mut known = Revision::WITH_DRAFT.iter().rev();
        known.any(|revision| revision.as_str().as_bytes() == name)
    };
    let mut values = values(parts, PROTOCOL_VERSION).map(<[u8]>::trim_ascii);
    match values.find(|value| !is_known(value)) {
        Some(unknown) => Err(String::from_utf8_lossy(unknown).into_owned()),
        None => Ok(()),
    }
}

/// Describes the transport for the spans of requests.
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

/// Checks the headers of a request whose body declares its revision: they have to repeat it, the
/// method and the name.
fn check_modern(parts: &Parts, method: &str, params: &ParamsView<'_>) -> Result<(), ErrorObject> {
    let mut faults = header_faults(parts, method, params, params.modern);
    if faults.is_empty() {
        return Ok(());
    }
    let missing = params.missing_meta();
    if !missing.is_empty() {
        faults.push(format!("params lack {missing}"));
    }
    let message = format!("header mismatch: {}", faults.join("; "));
    Err(ErrorObject::new(HEADER_MISMATCH, message))
}

/// Checks that the header names no revision without a handshake, because requests of these declare
/// it in the body.
fn check_legacy(parts: &Parts, method: &str, params: &ParamsView<'_>) -> Result<(), ErrorObject> {
    let Some(revision) = declared_modern(parts) else {
        return Ok(());
    };
    let missing = params.missing_meta();
    let mut faults = vec![format!(
        "params lack {missing}, which {PROTOCOL_VERSION} {revision} requires"
    )];
    faults.extend(header_faults(parts, method, params, Some(revision)));
    Err(ErrorObject::invalid_params(faults.join("; ")))
}

/// Returns the first revision without a handshake that `MCP-Protocol-Version` names.
pub(crate) fn declared_modern(parts: &Parts) -> Option<Revision> {
    let mut declared = values(parts, PROTOCOL_VERSION).map(<[u8]>::trim_ascii);
    declared.find_map(modern_revision)
}

/// Describes all headers that are missing, repeated, malformed or different from the body. `modern`
/// is the revision of the request, if it is a known one without a handshake.
fn header_faults(
    parts: &Parts,
    method: &str,
    params: &ParamsView<'_>,
    modern: Option<Revision>,
) -> Vec<String> {
    let version = params.version();
    let modern_name = modern.map(Revision::as_str);
    let version = version.or(modern_name).unwrap_or_default();
    let mut faults = Vec::new();
    let mut note = |checked: Result<(), HeaderMismatch>| {
        if let Err(error) = checked {
            faults.push(format!("{} {}", error.header(), error.reason()));
        }
    };
    note(check_declared_version(
        values(parts, PROTOCOL_VERSION),
        version,
    ));
    // Which headers another revision has is not known. That it is not supported is reported later.
    if modern.is_some() {
        note(check_method(values(parts, METHOD), method));
        // If the body lacks the name, the handler reports that.
        let name = match name_member(method) {
            Some(member @ ("name" | "uri" | "taskId")) => params.members.text(member),
            _ => None,
        };
        if let Some(name) = name {
            note(check_name(values(parts, NAME), &name));
        }
    }
    faults
}

fn values(parts: &Parts, name: impl AsHeaderName) -> impl Iterator<Item = &[u8]> {
    let values = parts.headers.get_all(name);
    values.into_iter().map(HeaderValue::as_bytes)
}
