//! Finds the ends of strings, several bytes at a time.

/// The number of bytes that are compared at once.
const STEP: usize = 8;

/// The number of bytes that are compared at once within long strings.
const STRIDE: usize = 32;

/// Strings of more words than this are searched in strides.
const WORDS: usize = 8;

const ONES: u64 = u64::from_ne_bytes([1; STEP]);
const HIGH: u64 = ONES << 7;

/// The bytes that a search stops at.
trait Stop {
    /// Marks the bytes of a word at which the search stops. The lowest mark is exact; higher ones may
    /// be wrong.
    fn marks(word: u64) -> u64;

    /// Returns 1 for a byte at which the search stops, and 0 for others.
    fn is_at(byte: u8) -> u8;
}

/// Stops at quotes, backslashes and control characters, which end the plain part of a string.
struct Special;

impl Stop for Special {
    #[inline]
    fn marks(word: u64) -> u64 {
        // Changes a quote, 0x22, to 0x20, so that one comparison is enough for it and for everything below
        // 0x20. A space becomes 0x22.
        let control_or_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
        (control_or_quote | backslash) & !word & HIGH
    }

    #[inline]
    fn is_at(byte: u8) -> u8 {
        u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < 0x20)
    }
}

/// Stops at quotes.
struct Quote;

impl Stop for Quote {
    #[inline]
    fn marks(word: u64) -> u64 {
        (word ^ (ONES * u64::from(b'"'))).wrapping_sub(ONES) & !word & HIGH
    }

    #[inline]
    fn is_at(byte: u8) -> u8 {
        u8::from(byte == b'"')
    }
}

/// Returns the number of bytes before the first quote, backslash or control character.
#[inline]
pub(super) fn plain(bytes: &[u8]) -> usize {
    find::<Special>(bytes)
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
fn find<S: Stop>(bytes: &[u8]) -> usize {
    let Some((word, _)) = bytes.split_first_chunk() else {
        return tail::<S>(bytes);
    };
    match marks::<S>(*word) {
        0 => find_further::<S>(bytes),
        marks => first(marks),
    }
}

/// Continues behind the first word.
#[inline(never)]
fn find_further<S: Stop>(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks();
    let mut at = STEP;
    for word in words.iter().take(WORDS).skip(1) {
        match marks::<S>(*word) {
            0 => at += STEP,
            marks => return at + first(marks),
        }
    }
    if words.len() <= WORDS {
        return tail::<S>(bytes);
    }
    at + long::<S>(bytes.get(at..).unwrap_or_default())
}

/// Continues in a string that is not short.
#[inline(never)]
fn long<S: Stop>(bytes: &[u8]) -> usize {
    let mut at = 0;
    let (strides, _) = bytes.as_chunks::<STRIDE>();
    for stride in strides {
        // Without a branch for each byte, so that the compiler vectorizes the comparison.
        if stride.iter().fold(0, |found, byte| found | S::is_at(*byte)) == 1 {
            break;
        }
        at += STRIDE;
    }
    let (words, _) = bytes.get(at..).unwrap_or_default().as_chunks();
    for word in words {
        match marks::<S>(*word) {
            0 => at += STEP,
            marks => return at + first(marks),
        }
    }
    tail::<S>(bytes)
}

/// Searches bytes of which at most the last [`STEP`] were not searched yet.
#[inline(never)]
fn tail<S: Stop>(bytes: &[u8]) -> usize {
    const HALF: usize = STEP / 2;
    // Bytes that were searched before have no marks, so they may be searched again.
    let marks = if let Some(last) = bytes.last_chunk() {
        marks::<S>(*last)
    } else if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [low, high] = [*low, *high].map(|half: [u8; HALF]| u64::from(u32::from_le_bytes(half)));
        let marks = S::marks(low | high << 32);
        if marks != 0 && first(marks) < HALF {
            return first(marks);
        }
        marks
    } else {
        let found = bytes.iter().position(|byte| S::is_at(*byte) == 1);
        return found.unwrap_or(bytes.len());
    };
    if marks == 0 {
        return bytes.len();
    }
    // The word ends where the bytes end.
    bytes.len() - (STEP - first(marks))
}

#[inline]
fn marks<S: Stop>(word: [u8; STEP]) -> u64 {
    S::marks(u64::from_le_bytes(word))
}

/// Returns the index of the byte with the lowest mark.
#[inline]
fn first(marks: u64) -> usize {
    // At most 7.
    (marks.trailing_zeros() / 8) as usize
}

/// Returns the index of the closing quote of a string, given the bytes after its opening quote. The
/// contents of the string are not checked. Without a closing quote, returns the number of bytes.
#[inline]
pub(in super::super) fn string_end(bytes: &[u8]) -> usize {
    let at = find::<Quote>(bytes);
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
        at += find::<Quote>(bytes.get(at..).unwrap_or_default());
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
