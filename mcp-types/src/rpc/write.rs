//! Encoding of messages: one line of compact JSON, written from typed parts in one pass.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::id::RequestId;
use crate::json::Writer;
use crate::meta::SERVER_INFO;
use crate::revision::{VersionError, Versioned};
use crate::revisions::{ErrorObject, Revision};

/// Appends a request to the buffer.
///
/// The line contains no line break and has none at its end: the transport adds the framing.
///
/// # Errors
///
/// Returns an error if `params` cannot be encoded. The buffer is then unchanged.
pub fn write_request<P: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    call(buffer, Some(id), method, params)
}

/// Appends a request in the form of a revision, like [`write_request`].
///
/// Params that are `null` are omitted.
///
/// # Errors
///
/// Returns the errors of [`Revision::encode`]. The buffer is then unchanged.
pub fn write_request_at<P: Versioned>(
    buffer: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    params: P,
    revision: Revision,
) -> Result<(), VersionError> {
    call_at(buffer, Some(id), method, params, revision)
}

/// Appends a notification, like [`write_request`].
///
/// # Errors
///
/// Returns the same errors as [`write_request`].
pub fn write_notification<P: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    call(buffer, None, method, params)
}

/// Appends a notification in the form of a revision, like [`write_request_at`].
///
/// # Errors
///
/// Returns the same errors as [`write_request_at`].
pub fn write_notification_at<P: Versioned>(
    buffer: &mut Vec<u8>,
    method: &str,
    params: P,
    revision: Revision,
) -> Result<(), VersionError> {
    call_at(buffer, None, method, params, revision)
}

/// Appends a response with a result, like [`write_request`].
///
/// # Errors
///
/// Returns the same errors as [`write_request`].
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

/// Appends a response with a result in the form of a revision.
///
/// In the newest revision, the `_meta` of a result identifies the server (page "Overview" of the
/// specification, section "Per-Response Metadata"). If the result does not contain this member,
/// `info` is added while the result is written. Other revisions do not have the member, and `info`
/// is not used.
///
/// # Errors
///
/// Returns the errors of [`Revision::encode`]. The buffer is then unchanged.
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

/// Appends a response with an error, like [`write_request`].
///
/// If `id` is `None`, because the id of the request could not be read, the member is omitted. It is
/// optional in newer revisions, and no revision allows the `null` that JSON-RPC requires.
///
/// # Errors
///
/// Returns the same errors as [`write_request`].
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

/// Starts a message and returns its position in the buffer.
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

/// Writes a member of the message. On an error, removes the message from the buffer.
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

/// Returns the writer for a result, which adds the server info if the revision requires it.
fn signing<'a>(
    buffer: &'a mut Vec<u8>,
    revision: Revision,
    info: Option<&'a RawValue>,
) -> Writer<'a> {
    match info {
        Some(info) if revision.is_modern() => Writer::with_meta(buffer, SERVER_INFO, info),
        _ => Writer::new(buffer),
    }
}

/// Ends the message, or removes it from the buffer.
fn close(buffer: &mut Vec<u8>, start: usize, written: bool) {
    if written {
        buffer.push(b'}');
    } else {
        buffer.truncate(start);
    }
}
