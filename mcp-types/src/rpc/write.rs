//! Writing messages: one line of compact JSON, from typed parts, in one go.

use serde::Serialize;
use serde_json::value::RawValue;

use super::object::ErrorObject;
use crate::id::RequestId;
use crate::json::Writer;
use crate::revision::{VersionError, Versioned};
use crate::revisions::Revision;

/// The member of a result's `_meta` that says who gives it.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Appends a request.
///
/// The line has no line break within and none at its end: framing is the transport's.
///
/// # Errors
///
/// Where `params` cannot be encoded; the buffer is then as before.
pub fn write_request<P: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    call(buffer, Some(id), method, params)
}

/// Appends a request in the form of a revision, as [`write_request`] does.
///
/// Params that are `null` are left out.
///
/// # Errors
///
/// Those of [`Revision::encode`]; the buffer is then as before.
pub fn write_request_at<P: Versioned>(
    buffer: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    params: P,
    revision: Revision,
) -> Result<(), VersionError> {
    call_at(buffer, Some(id), method, params, revision)
}

/// Appends a notification, as [`write_request`] does a request.
///
/// # Errors
///
/// As [`write_request`].
pub fn write_notification<P: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    call(buffer, None, method, params)
}

/// Appends a notification in the form of a revision, as [`write_request_at`] does a request.
///
/// # Errors
///
/// As [`write_request_at`].
pub fn write_notification_at<P: Versioned>(
    buffer: &mut Vec<u8>,
    method: &str,
    params: P,
    revision: Revision,
) -> Result<(), VersionError> {
    call_at(buffer, None, method, params, revision)
}

/// Appends the response with a result, as [`write_request`] does a request.
///
/// # Errors
///
/// As [`write_request`].
pub fn write_result<R: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    id: &RequestId,
    result: &R,
) -> serde_json::Result<()> {
    let start = open_result(buffer, id)?;
    let written = Writer::new(buffer).write(result);
    close(buffer, start, written.is_ok());
    written
}

/// Appends the response with a result in the form of a revision.
///
/// A result of the newest revision says in its `_meta` who gives it (page "Overview" of the
/// specification, "Per-Response Metadata"): where the result does not say so itself, `info` is
/// added while it is written. Other revisions know no such member, and have no use for `info`.
///
/// # Errors
///
/// Those of [`Revision::encode`]; the buffer is then as before.
pub fn write_result_at<R: Versioned>(
    buffer: &mut Vec<u8>,
    id: &RequestId,
    result: R,
    revision: Revision,
    info: Option<&RawValue>,
) -> Result<(), VersionError> {
    let start = open_result(buffer, id)?;
    let written = result.write_at(revision, &mut signing(buffer, revision, info));
    close(buffer, start, written.is_ok());
    written
}

/// Appends the response with an error, as [`write_request`] does a request.
///
/// Without an id, where that of the request could not be read, the member is left out: newer
/// revisions have it optional, and none allows the `null` that JSON-RPC itself asks for.
///
/// # Errors
///
/// As [`write_request`].
pub fn write_error(
    buffer: &mut Vec<u8>,
    id: Option<&RequestId>,
    error: &ErrorObject,
) -> serde_json::Result<()> {
    let start = open(buffer, id)?;
    buffer.extend_from_slice(b",\"error\":");
    let written = Writer::new(buffer).write(error);
    close(buffer, start, written.is_ok());
    written
}

fn call<P: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    id: Option<&RequestId>,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    let start = open_call(buffer, id, method)?;
    let written = match params {
        Some(params) => {
            buffer.extend_from_slice(PARAMS);
            Writer::new(buffer).write(params)
        }
        None => Ok(()),
    };
    close(buffer, start, written.is_ok());
    written
}

fn call_at<P: Versioned>(
    buffer: &mut Vec<u8>,
    id: Option<&RequestId>,
    method: &str,
    params: P,
    revision: Revision,
) -> Result<(), VersionError> {
    let start = open_call(buffer, id, method)?;
    let before = buffer.len();
    buffer.extend_from_slice(PARAMS);
    let written = params.write_at(revision, &mut Writer::new(buffer));
    if buffer.get(before + PARAMS.len()..) == Some(b"null") {
        buffer.truncate(before);
    }
    close(buffer, start, written.is_ok());
    written
}

const PARAMS: &[u8] = b",\"params\":";

/// Begins a message, and says where.
fn open(buffer: &mut Vec<u8>, id: Option<&RequestId>) -> serde_json::Result<usize> {
    let start = buffer.len();
    buffer.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    if let Some(id) = id {
        member(buffer, start, ",\"id\":", id)?;
    }
    Ok(start)
}

fn open_call(
    buffer: &mut Vec<u8>,
    id: Option<&RequestId>,
    method: &str,
) -> serde_json::Result<usize> {
    let start = open(buffer, id)?;
    member(buffer, start, ",\"method\":", method)?;
    Ok(start)
}

fn open_result(buffer: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<usize> {
    let start = open(buffer, Some(id))?;
    buffer.extend_from_slice(b",\"result\":");
    Ok(start)
}

/// Writes a member of the message, or takes the message back.
fn member<T: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    start: usize,
    name: &str,
    value: &T,
) -> serde_json::Result<()> {
    buffer.extend_from_slice(name.as_bytes());
    let written = Writer::new(buffer).write(value);
    if written.is_err() {
        buffer.truncate(start);
    }
    written
}

/// What writes a result, with who gives it where the revision asks for that.
fn signing<'a>(
    buffer: &'a mut Vec<u8>,
    revision: Revision,
    info: Option<&'a RawValue>,
) -> Writer<'a> {
    match info {
        Some(info) if revision == Revision::LATEST => Writer::with_meta(buffer, SERVER_INFO, info),
        _ => Writer::new(buffer),
    }
}

/// Ends a message, or takes it back.
fn close(buffer: &mut Vec<u8>, start: usize, written: bool) {
    if written {
        buffer.push(b'}');
    } else {
        buffer.truncate(start);
    }
}
