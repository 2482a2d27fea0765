//! HTTP/2 frames as bytes. Headers are written without compression, as literals that are not to be
//! indexed.

/// The bytes that a client sends first, before its settings.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The setting that limits what the server may send on a stream.
const INITIAL_WINDOW_SIZE: u16 = 4;
/// The error code of a client that cancels a request.
const CANCEL: u32 = 8;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .unwrap_or_default()
        .to_be_bytes();
    let mut bytes = Vec::with_capacity(9 + payload.len());
    bytes.extend_from_slice(&length[1..]);
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns the start of a connection whose streams have a window of this size.
pub(crate) fn opening(window: u32) -> Vec<u8> {
    let mut payload = INITIAL_WINDOW_SIZE.to_be_bytes().to_vec();
    payload.extend_from_slice(&window.to_be_bytes());
    let mut bytes = PREFACE.to_vec();
    bytes.extend(frame(SETTINGS, 0, 0, &payload));
    bytes
}

/// Settings that the server has to acknowledge.
pub(crate) fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

/// A ping that the server has to answer.
pub(crate) fn ping() -> Vec<u8> {
    frame(PING, 0, 0, &[0; 8])
}

/// Returns the head of a request.
pub(crate) fn headers(stream: u32, fields: &[(&str, &str)], ends: bool) -> Vec<u8> {
    let end = if ends { END_STREAM } else { 0 };
    frame(HEADERS, END_HEADERS | end, stream, &block(fields))
}

/// Returns the head of a request that continues in [`continuation`] frames.
pub(crate) fn open_headers(stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, 0, stream, &block(fields))
}

/// Returns a further part of a head, which also continues.
pub(crate) fn continuation(stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    frame(CONTINUATION, 0, stream, &block(fields))
}

/// Returns a part of a body: at most 16 KiB.
pub(crate) fn data(stream: u32, payload: &[u8], ends: bool) -> Vec<u8> {
    frame(DATA, if ends { END_STREAM } else { 0 }, stream, payload)
}

/// Cancels a request.
pub(crate) fn reset(stream: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &CANCEL.to_be_bytes())
}

/// Allows the server to send more on a stream, or for 0 on the connection.
pub(crate) fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

/// Encodes the fields of a head in HPACK.
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in fields {
        // A literal field without indexing, with a new name.
        bytes.push(0);
        for text in [name, value] {
            length(&mut bytes, text.len());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

/// Encodes a length with a prefix of seven bits, for a text without Huffman coding.
fn length(bytes: &mut Vec<u8>, length: usize) {
    let low = |length: usize| u8::try_from(length & 127).unwrap_or_default();
    if length < 127 {
        bytes.push(low(length));
        return;
    }
    bytes.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        bytes.push(low(rest) | 128);
        rest >>= 7;
    }
    bytes.push(low(rest));
}

#[cfg(test)]
mod tests {
    use super::{block, length};

    #[test]
    fn lengths_have_a_prefix_of_seven_bits() {
        // The example of RFC 7541, C.1.2, with this prefix: 1337 = 127 + 58 + 9 * 128.
        let mut bytes = Vec::new();
        length(&mut bytes, 1337);
        assert_eq!(bytes, [127, 0b1011_1010, 9]);
        assert_eq!(block(&[("a", "bc")]), b"\0\x01a\x02bc");
    }
}
