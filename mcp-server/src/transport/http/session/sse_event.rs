//! Encodes the events of legacy streams, each with an id.

use std::time::Duration;

use mcp_types::sse::{Event, write_event};

/// The time that a client should wait before it reconnects.
const RETRY: Duration = Duration::from_millis(500);

/// Writes a priming event: an id for `Last-Event-ID`, and the retry time, without data.
pub(crate) fn write_priming_event(out: &mut Vec<u8>, stream: &str, after: u64) {
    write(out, stream, after, b"", Some(RETRY));
}

/// Writes an event with its number in the stream.
pub(crate) fn write_sse_event(out: &mut Vec<u8>, stream: &str, number: u64, data: &[u8]) {
    write(out, stream, number, data, None);
}

fn write(out: &mut Vec<u8>, stream: &str, number: u64, data: &[u8], retry: Option<Duration>) {
    // The id of the stream was generated or validated by this server, so it needs no escaping.
    out.reserve(stream.len() + data.len() + 128);
    out.extend_from_slice(b"id: ");
    out.extend_from_slice(stream.as_bytes());
    out.push(b'-');
    write_number(out, number);
    out.push(b'\n');
    let event = Event {
        retry,
        ..Event::data(data)
    };
    // Encoding an event without id and name does not fail.
    let _ = write_event(out, &event);
}

/// Writes a number in decimal digits.
fn write_number(out: &mut Vec<u8>, number: u64) {
    let start = out.len();
    let mut rest = number;
    loop {
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}
