//! Encoding of events.

use std::fmt;
use std::time::Duration;

/// An event to be encoded.
///
/// Some servers send only an `id` or a `retry` at the start of a stream. Use empty data for that:
/// receivers store both and deliver no event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event<'a> {
    /// The id that a reconnecting client sends as `Last-Event-ID`. An empty id resets it; `None`
    /// keeps the previous one.
    pub id: Option<&'a str>,
    /// The name of the event. Receivers treat `None` as `message`.
    pub event: Option<&'a str>,
    /// The time that a client waits before it reconnects, sent in whole milliseconds.
    pub retry: Option<Duration>,
    /// The data, in UTF-8. Line breaks of any kind are received as `\n`.
    pub data: &'a [u8],
}

impl<'a> Event<'a> {
    /// Creates an event that has only data.
    #[inline]
    #[must_use]
    pub const fn data(data: &'a [u8]) -> Self {
        Self {
            id: None,
            event: None,
            retry: None,
            data,
        }
    }
}

/// Writes an event, followed by the blank line that ends it.
///
/// # Errors
///
/// Returns a [`FieldError`] if the id or the name contains a line break or NUL. Nothing is written
/// then.
#[inline]
pub fn write_event(out: &mut Vec<u8>, event: &Event<'_>) -> Result<(), FieldError> {
    check("id", event.id)?;
    check("event", event.event)?;
    out.reserve(event.data.len() + 64);
    if let Some(id) = event.id {
        write_line(out, b"id: ", id.as_bytes());
    }
    if let Some(name) = event.event {
        write_line(out, b"event: ", name.as_bytes());
    }
    if let Some(retry) = event.retry {
        // Much cheaper than formatting 128 bits.
        let retry = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
        write_line(out, b"retry: ", retry.to_string().as_bytes());
    }
    write_lines(out, b"data: ", event.data);
    out.push(b'\n');
    Ok(())
}

/// Writes a comment, which receivers ignore, to keep a connection alive. Each line of the text
/// becomes a line of the comment.
#[inline]
pub fn write_comment(out: &mut Vec<u8>, text: &str) {
    write_lines(out, b": ", text.as_bytes());
}

#[inline]
fn check(field: &'static str, text: Option<&str>) -> Result<(), FieldError> {
    let fault = |byte| matches!(byte, b'\r' | b'\n' | b'\0');
    match text.and_then(|text| text.bytes().position(fault)) {
        Some(at) => Err(FieldError { field, at }),
        None => Ok(()),
    }
}

#[inline]
fn write_lines(out: &mut Vec<u8>, start: &[u8], text: &[u8]) {
    // One line of JSON, the usual data. `contains` is much faster than a check of each byte.
    if !text.contains(&b'\n') && !text.contains(&b'\r') {
        return write_line(out, start, text);
    }
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        let (line, tail) = rest.split_at(at);
        write_line(out, start, line);
        rest = match tail {
            [b'\r', b'\n', tail @ ..] | [_, tail @ ..] => tail,
            [] => tail,
        };
    }
    write_line(out, start, rest);
}

#[inline]
fn write_line(out: &mut Vec<u8>, start: &[u8], line: &[u8]) {
    out.extend_from_slice(start);
    out.extend_from_slice(line);
    out.push(b'\n');
}

/// The error for an id or a name of an event that contains a line break or NUL. These would end the
/// field early or make receivers ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// The field, `id` or `event`.
    pub field: &'static str,
    /// The position of the byte in the field, counted from zero.
    pub at: usize,
}

impl fmt::Display for FieldError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, at } = self;
        write!(
            f,
            "`{field}` of an event has a line break or NUL at byte {at}"
        )
    }
}

impl std::error::Error for FieldError {}
