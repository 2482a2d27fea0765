//! Writing messages: one line of compact JSON, from typed parts, in one go.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::object::ErrorObject;
use crate::id::RequestId;

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
    whole(buffer, |buffer| {
        member(buffer, ",\"id\":", id)?;
        call(buffer, method, params)
    })
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
    whole(buffer, |buffer| call(buffer, method, params))
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
    whole(buffer, |buffer| {
        member(buffer, ",\"id\":", id)?;
        member(buffer, ",\"result\":", result)
    })
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
    whole(buffer, |buffer| {
        if let Some(id) = id {
            member(buffer, ",\"id\":", id)?;
        }
        member(buffer, ",\"error\":", error)
    })
}

/// Writes a whole message or nothing.
fn whole(
    buffer: &mut Vec<u8>,
    members: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    let start = buffer.len();
    buffer.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    let written = members(buffer);
    match written {
        Ok(()) => buffer.push(b'}'),
        Err(_) => buffer.truncate(start),
    }
    written
}

fn call<P: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    member(buffer, ",\"method\":", method)?;
    params.map_or(Ok(()), |params| member(buffer, ",\"params\":", params))
}

fn member<T: Serialize + ?Sized>(
    buffer: &mut Vec<u8>,
    name: &str,
    value: &T,
) -> serde_json::Result<()> {
    buffer.extend_from_slice(name.as_bytes());
    value.serialize(&mut Serializer::with_formatter(buffer, OneLine))
}

/// Compact JSON in which raw values keep no line breaks: with one, what a peer has written could
/// end our line and begin another message.
#[derive(Clone, Copy)]
struct OneLine;

impl Formatter for OneLine {
    fn write_raw_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // The usual case; `contains` is much faster than to look at each character.
        let bytes = fragment.as_bytes();
        if !bytes.contains(&b'\n') && !bytes.contains(&b'\r') {
            return writer.write_all(bytes);
        }
        // A line break in JSON is white space: within strings it is escaped.
        for (at, part) in fragment.split(['\n', '\r']).enumerate() {
            if at > 0 {
                writer.write_all(b" ")?;
            }
            writer.write_all(part.as_bytes())?;
        }
        Ok(())
    }
}
