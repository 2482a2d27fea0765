//! Finds the ends of strings, several bytes at a time.

/// The number of bytes that are compared at once.
const STEP: usize = 8;

/// The number of bytes that are compared at once within long strings.
const STRIDE: usize = 32;

const ONES: u64 = u64::from_ne_bytes([1; STEP]);
const HIGH: u64 = ONES << 7;

/// The bytes that a search stops at.
#[derive(Clone, Copy)]
enum Stop {
    /// Quotes, backslashes and control characters, which end the plain part of a string.
    Special,
    Quote,
}

impl Stop {
    /// Marks the bytes of a word at which the search stops. The lowest mark is exact; higher ones may
    /// be wrong.
    #[inline]
    fn marks(self, word: u64) -> u64 {
        let is = |byte: u8| {
            let different = word ^ (ONES * u64::from(byte));
            different.wrapping_sub(ONES) & !different
        };
        let found = match self {
            Self::Quote => is(b'"'),
            Self::Special => {
                let is_control = word.wrapping_sub(ONES * 0x20) & !word;
                is(b'"') | is(b'\\') | is_control
            }
        };
        found & HIGH
    }

    /// Returns 1 for a byte at which the search stops, and 0 for others.
    #[inline]
    fn is_at(self, byte: u8) -> u8 {
        let is_quote = u8::from(byte == b'"');
        match self {
            Self::Quote => is_quote,
            Self::Special => is_quote | u8::from(byte == b'\\') | u8::from(byte < 0x20),
        }
    }
}

/// Returns the number of bytes before the first quote, backslash or control character.
#[inline]
pub(in super::super) fn plain(bytes: &[u8]) -> usize {
    find(bytes, Stop::Special)
}

/// Skips white space from a position on, and returns the next byte without reading it.
#[inline]
pub(super) fn peek(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        let byte = *bytes.get(*at)?;
        if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
            return Some(byte);
        }
        *at += 1;
    }
}

/// Returns the string whose opening quote is at a position, if it has no escapes, and otherwise where
/// its plain beginning ends.
#[inline]
pub(super) fn plain_string(text: &str, quote: usize) -> Result<&str, usize> {
    let start = quote + 1;
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let end = start + plain(rest);
    match text.get(start..end) {
        Some(plain) if text.as_bytes().get(end) == Some(&b'"') => Ok(plain),
        _ => Err(end),
    }
}

/// Returns the number of bytes before the first one at which the search stops.
///
/// Most strings of a message are names and short texts, so only the first word is searched inline.
#[inline]
fn find(bytes: &[u8], stop: Stop) -> usize {
    match step(bytes, 0, stop) {
        Some(0) => find_further(bytes, stop),
        Some(marks) => first(marks),
        None => tail(bytes, stop),
    }
}

/// Continues behind the first word.
#[inline(never)]
fn find_further(bytes: &[u8], stop: Stop) -> usize {
    match step(bytes, STEP, stop) {
        Some(0) => {}
        Some(marks) => return STEP + first(marks),
        None => return tail(bytes, stop),
    }
    let at = 2 * STEP;
    let rest = bytes.get(at..).unwrap_or_default();
    // One function for each, so that each can be vectorized.
    at + match stop {
        Stop::Special => long(rest, Stop::Special),
        Stop::Quote => long(rest, Stop::Quote),
    }
}

#[inline]
fn step(bytes: &[u8], at: usize, stop: Stop) -> Option<u64> {
    let (word, _) = bytes.get(at..)?.split_first_chunk::<STEP>()?;
    Some(stop.marks(u64::from_le_bytes(*word)))
}

/// Returns the index of the byte with the lowest mark.
#[inline]
fn first(marks: u64) -> usize {
    // At most 7.
    (marks.trailing_zeros() / 8) as usize
}

/// Searches bytes of which at most the last [`STEP`] were not searched yet.
#[inline(never)]
fn tail(bytes: &[u8], stop: Stop) -> usize {
    const HALF: usize = STEP / 2;
    // Bytes that were searched before have no marks, so they may be searched again.
    let marks = if let Some(last) = bytes.last_chunk::<STEP>() {
        stop.marks(u64::from_le_bytes(*last))
    } else if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [low, high] = [*low, *high].map(|half: [u8; HALF]| u64::from(u32::from_le_bytes(half)));
        let marks = stop.marks(low | high << 32);
        if marks != 0 && first(marks) < HALF {
            return first(marks);
        }
        marks
    } else {
        let found = bytes.iter().position(|byte| stop.is_at(*byte) == 1);
        return found.unwrap_or(bytes.len());
    };
    if marks == 0 {
        return bytes.len();
    }
    // The word ends where the bytes end.
    bytes.len() - (STEP - first(marks))
}

/// Continues in a string that is not short.
#[inline(never)]
fn long(bytes: &[u8], stop: Stop) -> usize {
    let mut at = 0;
    // Without a branch for each byte, so that the compiler vectorizes the comparison.
    while let Some(stride) = bytes.get(at..at + STRIDE)
        && stride
            .iter()
            .fold(0, |found, byte| found | stop.is_at(*byte))
            == 0
    {
        at += STRIDE;
    }
    loop {
        match step(bytes, at, stop) {
            Some(0) => at += STEP,
            Some(marks) => return at + first(marks),
            None => return tail(bytes, stop),
        }
    }
}

/// Returns the index of the closing quote of a string, given the bytes after its opening quote. The
/// contents of the string are not checked. Without a closing quote, returns the number of bytes.
#[inline]
pub(in super::super) fn string_end(bytes: &[u8]) -> usize {
    let at = find(bytes, Stop::Quote);
    match bytes.get(..at).and_then(<[u8]>::last) {
        Some(b'\\') => escaped_string_end(bytes),
        _ => at,
    }
}

/// The same for a string that may contain escaped quotes.
#[inline(never)]
fn escaped_string_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let before = at;
        at += find(bytes.get(at..).unwrap_or_default(), Stop::Quote);
        // A quote after an odd number of backslashes is part of the string. They cannot reach back
        // beyond the quote before, so that each is counted once.
        let read = bytes.get(before..at).unwrap_or_default();
        let backslashes = read.iter().rev().take_while(|byte| **byte == b'\\');
        if at >= bytes.len() || backslashes.count() % 2 == 0 {
            return at;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_special_byte_is_found_at_every_place() {
        for length in 0..100 {
            for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
                for other in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff] {
                    let mut bytes = vec![other; length];
                    assert_eq!(plain(&bytes), length);
                    bytes.push(special);
                    bytes.extend([special; 3]);
                    bytes.extend([other; 20]);
                    assert_eq!(plain(&bytes), length, "{special} {other}");
                }
            }
        }
    }

    #[test]
    fn end_of_a_string_is_not_escaped() {
        for length in [0, 1, 7, 8, 30, 70] {
            for backslashes in 0..9 {
                let text = format!("{}{}\"x\"", "a".repeat(length), "\\".repeat(backslashes));
                let first = length + backslashes;
                let end = if backslashes % 2 == 0 {
                    first
                } else {
                    first + 2
                };
                assert_eq!(string_end(text.as_bytes()), end, "{text}");
            }
        }
        for open in [
            "",
            "a",
            "\\",
            "\\\"",
            "a string that is longer than one stride of the search",
        ] {
            assert_eq!(string_end(open.as_bytes()), open.len(), "{open}");
        }
    }
}
