//! Finds the ends of strings, several bytes at a time.

/// The number of bytes that are compared at once.
const STEP: usize = 8;

/// The number of bytes that are compared at once within long strings.
const STRIDE: usize = 32;

const ONES: u64 = u64::from_ne_bytes([1; STEP]);
const HIGH: u64 = ONES << 7;

/// Marks the bytes of a word that end the plain part of a string: quotes, backslashes and control
/// characters. The lowest mark is exact; higher ones may be wrong.
#[inline]
fn special(word: u64) -> u64 {
    let is = |byte: u8| {
        let different = word ^ (ONES * u64::from(byte));
        different.wrapping_sub(ONES) & !different
    };
    let is_control = word.wrapping_sub(ONES * 0x20) & !word;
    (is(b'"') | is(b'\\') | is_control) & HIGH
}

/// Returns the number of bytes before the first quote, backslash or control character.
#[inline]
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    for _ in 0..2 {
        match step(bytes, at) {
            Some(0) => at += STEP,
            Some(marks) => return at + first(marks),
            None => return at + tail(bytes.get(at..).unwrap_or_default()),
        }
    }
    at + long(bytes.get(at..).unwrap_or_default())
}

#[inline]
fn step(bytes: &[u8], at: usize) -> Option<u64> {
    let (word, _) = bytes.get(at..)?.split_first_chunk::<STEP>()?;
    Some(special(u64::from_le_bytes(*word)))
}

/// Returns the index of the byte with the lowest mark.
#[inline]
fn first(marks: u64) -> usize {
    // At most 7.
    (marks.trailing_zeros() / 8) as usize
}

fn tail(bytes: &[u8]) -> usize {
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    bytes.iter().position(is_special).unwrap_or(bytes.len())
}

/// Continues in a string that is not short.
fn long(bytes: &[u8]) -> usize {
    let special =
        |byte: u8| u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < 0x20);
    let mut at = 0;
    // Without a branch for each byte, so that the compiler vectorizes the comparison.
    while let Some(stride) = bytes.get(at..at + STRIDE)
        && stride.iter().fold(0, |found, byte| found | special(*byte)) == 0
    {
        at += STRIDE;
    }
    loop {
        match step(bytes, at) {
            Some(0) => at += STEP,
            Some(marks) => return at + first(marks),
            None => return at + tail(bytes.get(at..).unwrap_or_default()),
        }
    }
}

/// Returns the index of the closing quote of a string, given the bytes after its opening quote. The
/// string may contain control characters.
pub(in super::super) fn string_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += plain(bytes.get(at..).unwrap_or_default());
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => return at,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
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
}
