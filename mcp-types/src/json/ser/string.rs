//! Writes strings.

use super::super::text::{is_plain, plain};

/// Appends a string with its quotes.
///
/// Not inlined, because every type writes strings, and copies of this code would make all of them larger.
#[inline(never)]
pub(super) fn write(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    write_contents(buffer, text);
    buffer.push(b'"');
}

/// Appends the name of a member with its quotes and a colon, after a comma unless it is the first one.
#[inline(never)]
pub(super) fn write_name(buffer: &mut Vec<u8>, name: &str, is_first: bool) {
    if !is_first {
        buffer.push(b',');
    }
    buffer.push(b'"');
    write_contents(buffer, name);
    buffer.extend_from_slice(b"\":");
}

/// Appends a string without its quotes.
///
/// Most strings are short. A string of 8 to 16 bytes is searched and copied as its first and its last eight
/// bytes, and one of 4 to 7 bytes as its first and its last four. The two parts overlap in most cases.
#[inline]
fn write_contents(buffer: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    match bytes.len() {
        8..=16 => {
            if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk())
                && is_plain(u64::from_le_bytes(*first)) & is_plain(u64::from_le_bytes(*last))
            {
                return append_overlapping::<8>(buffer, bytes.len(), first, last);
            }
        }
        4..=7 => {
            if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
                let [low, high] = [*first, *last].map(|half| u64::from(u32::from_le_bytes(half)));
                if is_plain(low | high << 32) {
                    return append_overlapping::<4>(buffer, bytes.len(), first, last);
                }
            }
        }
        _ => {}
    }
    write_any(buffer, bytes);
}

/// Appends a string of any length without its quotes.
#[inline(never)]
fn write_any(buffer: &mut Vec<u8>, bytes: &[u8]) {
    let end = plain(bytes);
    if end == bytes.len() {
        buffer.extend_from_slice(bytes);
    } else {
        write_escaped(buffer, bytes, end);
    }
}

/// Appends a string of `length` bytes, at least `N` and at most twice as many, from its first and its last `N`
/// bytes.
#[inline]
fn append_overlapping<const N: usize>(
    buffer: &mut Vec<u8>,
    length: usize,
    first: &[u8; N],
    last: &[u8; N],
) {
    let end = buffer.len() + length;
    buffer.extend_from_slice(first);
    buffer.truncate(end - N);
    buffer.extend_from_slice(last);
}

/// Appends the contents of a string whose first character to escape is at `end`.
#[inline(never)]
fn write_escaped(buffer: &mut Vec<u8>, bytes: &[u8], end: usize) {
    let (mut rest, mut end) = (bytes, end);
    while let Some((before, after)) = rest.split_at_checked(end) {
        buffer.extend_from_slice(before);
        rest = after;
        // Escapes often follow each other, and then nothing is searched or copied between them.
        while let Some((byte, after)) = rest.split_first()
            && escape(buffer, *byte)
        {
            rest = after;
        }
        if rest.is_empty() {
            break;
        }
        end = plain(rest);
    }
}

/// The character behind the backslash in the escape of a byte: `u` if there is no short escape, and zero if the
/// byte is not escaped.
const ESCAPES: [u8; 256] = {
    let mut escapes = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escapes[byte] = b'u';
        byte += 1;
    }
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes[b'\n' as usize] = b'n';
    escapes[b'\r' as usize] = b'r';
    escapes[b'\t' as usize] = b't';
    escapes[0x08] = b'b';
    escapes[0x0c] = b'f';
    escapes
};

/// Appends the escape of a quote, a backslash or a control character. Returns `false` for any other byte, of
/// which nothing is appended.
#[inline]
fn escape(buffer: &mut Vec<u8>, byte: u8) -> bool {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    match ESCAPES[usize::from(byte)] {
        0 => return false,
        b'u' => {
            let digit = |value: u8| DIGITS[usize::from(value & 0xf)];
            buffer.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
        short => buffer.extend_from_slice(&[b'\\', short]),
    }
    true
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_all_lengths_are_written_as_serde_json_does() {
        for length in 0..40 {
            let plain = "abcdefghijklmnopqrstuvwxyz0123456789ABCD"[..length].to_owned();
            let mut texts = vec![plain.clone()];
            let controls = (0..0x20_u8).map(char::from);
            for special in controls.chain(['"', '\\', '\u{7f}', '\u{e9}', '\u{1f600}']) {
                for at in 0..=length {
                    let (before, after) = plain.split_at(at);
                    texts.push(format!("{before}{special}{after}"));
                    texts.push(format!("{before}{special}{special}{after}\t{special}"));
                }
            }
            for text in texts {
                let expected = serde_json::to_string(&text).unwrap();
                let mut buffer = b"x".to_vec();
                write(&mut buffer, &text);
                write_name(&mut buffer, &text, true);
                write_name(&mut buffer, &text, false);
                let expected = format!("x{expected}{expected}:,{expected}:");
                assert_eq!(String::from_utf8(buffer).unwrap(), expected);
            }
        }
    }
}
