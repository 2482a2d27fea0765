//! How long the parts of a request may be that the server keeps beyond decoding it. They are measured
//! as text, before they are decoded.

use mcp_types::error::DecodeError;
use mcp_types::{RequestId, json};
use serde_json::value::RawValue;

use super::head::{CLIENT_CAPABILITIES, CLIENT_INFO};
use super::{Head, Members};
use crate::lifecycle::LISTEN;
use crate::limits::Limits;
use crate::server::Server;

/// What a modern request says about its sender in `_meta`.
const PEER: [&str; 2] = [CLIENT_INFO, CLIENT_CAPABILITIES];

/// Bytes of a text with its quotes.
const QUOTES: usize = 2;

/// Checks params, or the result or error of an answer, before anything else looks at them.
pub(crate) fn check_values(part: Option<&RawValue>, limits: &Limits) -> Result<(), DecodeError> {
    let limit = limits.message_values;
    if part.is_some_and(|part| json::has_more_values(part.get(), limit)) {
        return Err(DecodeError::data(format!(
            "more than {limit} JSON values in one message"
        )));
    }
    Ok(())
}

/// Checks the id of a request and its `_meta`.
pub(super) fn check(
    server: &Server,
    id: &RequestId,
    method: &str,
    head: &Head<'_>,
) -> Result<(), DecodeError> {
    let limits = server.limits();
    if exceeds_id(id, limits) {
        let most = limits.id_bytes;
        return Err(DecodeError::data(format!(
            "the request's `id` has more than {most} bytes"
        )));
    }
    check_meta(server, method, head)
}

pub(super) fn exceeds_id(id: &RequestId, limits: &Limits) -> bool {
    matches!(id, RequestId::String(text) if text.len() > limits.id_bytes)
}

/// Checks the `_meta` of a request or notification.
pub(super) fn check_meta(
    server: &Server,
    method: &str,
    head: &Head<'_>,
) -> Result<(), DecodeError> {
    let limits = server.limits();
    let bytes = head.meta_bytes();
    // Nearly always.
    if bytes <= limits.id_bytes.min(limits.peer_bytes) {
        return Ok(());
    }
    for name in ["progressToken", "traceparent"] {
        let raw = head.meta().raw(name)?;
        if raw.is_some_and(|raw| raw.get().len() > limits.id_bytes.saturating_add(QUOTES)) {
            return Err(too_long(name, limits.id_bytes).inside_member("_meta"));
        }
    }
    // These are kept as they came, with members that nobody knows.
    let kept = matches!(method, LISTEN | "resources/subscribe");
    if kept && bytes > limits.peer_bytes {
        return Err(too_long("_meta", limits.peer_bytes));
    }
    let checked = peer(head.meta(), PEER, limits);
    checked.map_err(|error| error.inside_member("_meta"))?;
    Ok(())
}

/// Checks the two members in which a peer describes itself. Returns how long they are together.
pub(crate) fn peer(
    members: &Members<'_>,
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
            "`{first}` and `{second}` have more than {} bytes together",
            limits.peer_bytes
        ))
        .inside_member(longer));
    }
    Ok(one + other)
}

fn too_long(name: &'static str, most: usize) -> DecodeError {
    DecodeError::data(format!("more than {most} bytes")).inside_member(name)
}
