//! Writes strings.

use super::super::text::plain;

/// Appends a string with its quotes.
#[inline]
pub(super) fn write(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    write_contents(buffer, text);
    buffer.push(b'"');
}

/// Appends a string without its quotes.
#[inline]
pub(super) fn write_contents(buffer: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let end = plain(bytes);
    if end == bytes.len() {
        buffer.extend_from_slice(bytes);
    } else {
        write_escaped(buffer, bytes, end);
    }
}

/// Appends the contents of a string whose first character to escape is at `end`.
#[inline(never)]
fn write_escaped(buffer: &mut Vec<u8>, bytes: &[u8], end: usize) {
    let (mut rest, mut end) = (bytes, end);
    while let Some((before, after)) = rest.split_at_checked(end)
        && let Some((special, after)) = after.split_first()
    {
        buffer.extend_from_slice(before);
        escape(buffer, *special);
        rest = after;
        end = plain(rest);
    }
    buffer.extend_from_slice(rest);
}

/// Appends the escape of a quote, a backslash or a control character.
#[inline]
fn escape(buffer: &mut Vec<u8>, byte: u8) {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |value: u8| DIGITS[usize::from(value & 0xf)];
            buffer.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            return;
        }
    };
    buffer.extend_from_slice(&[b'\\', short]);
}

/// Appends JSON text without line breaks. Otherwise the text of a peer could end the current line and
/// start another message.
pub(super) fn write_in_one_line(buffer: &mut Vec<u8>, text: &str) {
    // The usual case. `contains` is much faster than a check of each character.
    let bytes = text.as_bytes();
    if !bytes.contains(&b'\n') && !bytes.contains(&b'\r') {
        buffer.extend_from_slice(bytes);
        return;
    }
    // A line break in JSON is white space, because it is escaped within strings.
    for (at, part) in text.split(['\n', '\r']).enumerate() {
        if at > 0 {
            buffer.push(b' ');
        }
        buffer.extend_from_slice(part.as_bytes());
    }
}
