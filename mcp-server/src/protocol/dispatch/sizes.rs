//! Limits on the size of those parts of a request that the server stores. The JSON text is
//! measured, before it is decoded.

use mcp_types::error::{DecodeError, Rule};
use mcp_types::meta::{CLIENT_CAPABILITIES, CLIENT_INFO};
use mcp_types::{RequestId, json};
use serde_json::value::RawValue;

use crate::protocol::core::Core;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::Limits;
use crate::protocol::message::methods::LISTEN;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::raw_object::RawObject;

/// The members of `_meta` that describe the sender of a modern request.
const PEER: [&str; 2] = [CLIENT_INFO, CLIENT_CAPABILITIES];

/// The number of quotes around a JSON string.
const QUOTES: usize = 2;

/// Checks the number of JSON values in params, or in the result or error of a response, before they
/// are parsed.
pub(crate) fn check_values(part: Option<&RawValue>, limits: &Limits) -> Result<(), DecodeError> {
    let limits = json::Limits::NONE.values(limits.message_values);
    part.map_or(Ok(()), |part| limits.check_text(part.get()))
}

/// Checks the size of the id and of `_meta` of a request.
pub(crate) fn check(
    limits: &Limits,
    id: &RequestId,
    method: &str,
    params: &ParamsView<'_>,
) -> Result<(), DecodeError> {
    if exceeds_id(id, limits) {
        let most = limits.id_bytes;
        return Err(DecodeError::data(format!(
            "the request's `id` is too long: expected at most {most} bytes"
        ))
        .with_rule(Rule::Limit, [most.to_string()]));
    }
    check_meta(limits, method, params)
}

/// Returns `true` if an id exceeds [`Limits::id_bytes`].
pub(crate) fn exceeds_id(id: &RequestId, limits: &Limits) -> bool {
    matches!(id, RequestId::String(text) if text.len() > limits.id_bytes)
}

/// Checks the size of `_meta` of a request or notification.
pub(crate) fn check_meta(
    limits: &Limits,
    method: &str,
    params: &ParamsView<'_>,
) -> Result<(), DecodeError> {
    let bytes = params.meta_bytes();
    // The usual case.
    if bytes <= limits.id_bytes.min(limits.peer_bytes) {
        return Ok(());
    }
    for name in ["progressToken", "traceparent"] {
        let raw = params.meta.raw(name)?;
        if raw.is_some_and(|raw| raw.get().len() > limits.id_bytes.saturating_add(QUOTES)) {
            return Err(too_long(name, limits.id_bytes).inside_member("_meta"));
        }
    }
    // Subscriptions store the whole `_meta`, including unknown members.
    let is_stored = matches!(method, LISTEN | "resources/subscribe");
    if is_stored && bytes > limits.peer_bytes {
        return Err(too_long("_meta", limits.peer_bytes));
    }
    let checked = peer(&params.meta, PEER, limits);
    checked.map_err(|error| error.inside_member("_meta"))?;
    Ok(())
}

/// Checks the size of the two members in which a peer describes itself. Returns their total size in
/// bytes.
pub(crate) fn peer(
    members: &RawObject<'_>,
    names: [&'static str; 2],
    limits: &Limits,
) -> Result<usize, DecodeError> {
    let [first, second] = names;
    let bytes = |name| {
        members
            .raw(name)
            .map(|raw| raw.map_or(0, |raw| raw.get().len()))
    };
    let (one, other) = (bytes(first)?, bytes(second)?);
    if one + other > limits.peer_bytes {
        let longer = if one >= other { first } else { second };
        return Err(DecodeError::data(format!(
            "`{first}` and `{second}` have {} bytes: expected at most {}",
            one + other,
            limits.peer_bytes
        ))
        .with_rule(Rule::Limit, [limits.peer_bytes.to_string()])
        .inside_member(longer));
    }
    Ok(one + other)
}

fn too_long(name: &'static str, most: usize) -> DecodeError {
    DecodeError::data(format!("too long: expected at most {most} bytes"))
        .with_rule(Rule::Limit, [most.to_string()])
        .inside_member(name)
}

/// Rejects a URI that is longer than [`Limits::uri_bytes`](field@crate::Limits::uri_bytes), before
/// it is matched with templates or stored. `place` is its JSON path in the params.
pub(crate) fn check_uri(
    core: &Core,
    place: impl std::fmt::Display,
    uri: &str,
) -> Result<(), HandlerError> {
    let limit = core.limits.uri_bytes;
    if uri.len() <= limit {
        return Ok(());
    }
    Err(HandlerError::invalid_params(format!(
        "{place}: the URI has {} bytes, the limit is {limit}",
        uri.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_that_is_too_long_exceeds_a_limit() {
        let text: Box<serde_json::value::RawValue> =
            serde_json::from_str(r#"{"a":"long","b":1}"#).unwrap();
        let members = RawObject::read(&text).unwrap();
        let limits = Limits {
            peer_bytes: 3,
            ..Limits::default()
        };
        let error = peer(&members, ["a", "b"], &limits).unwrap_err();
        assert_eq!(error.rule(), Rule::Limit, "{error}");
        assert_eq!(error.expected(), ["3"], "{error}");
        assert_eq!(error.path().to_string(), "$.a");
    }
}
