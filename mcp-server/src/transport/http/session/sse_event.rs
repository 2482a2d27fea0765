//! Events of legacy streams as they are written, each with its number.

use std::time::Duration;

use mcp_types::sse::{Event, write_event};

/// How long a client is asked to wait before it comes back.
const RETRY: Duration = Duration::from_millis(500);

/// Writes what a client that loses the connection after an event comes back with.
pub(crate) fn write_prime(out: &mut Vec<u8>, stream: &str, after: u64) {
    write(out, stream, after, b"", Some(RETRY));
}

/// Writes an event with its number in a stream.
pub(crate) fn write_numbered(out: &mut Vec<u8>, stream: &str, number: u64, data: &[u8]) {
    write(out, stream, number, data, None);
}

fn write(out: &mut Vec<u8>, stream: &str, number: u64, data: &[u8], retry: Option<Duration>) {
    // The name is one of ours or was found in the store: it can be written.
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
    // Nothing is left in it that could not be written.
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
