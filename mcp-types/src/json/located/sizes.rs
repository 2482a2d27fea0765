//! [`Sizes`]: the lengths of long arrays, counted in the text before the arrays are decoded.
//!
//! A list that grows while it is decoded exists twice whenever it is reallocated, and ends with
//! unused capacity. `[0,0,..]` has two bytes of text for each element, so the list could take up to
//! 48 times the length of its text. Therefore an array that exceeds [`LONG`] elements requests its
//! length and is allocated with exactly that capacity. The first request scans the text once for
//! all arrays that follow. Objects do not need this: the text of a member is longer.

use std::collections::VecDeque;

use super::super::de::NESTING_LIMIT;

/// Arrays with more elements than this are measured in advance. Shorter ones grow, because scanning
/// the text a second time would cost time for every message.
pub(in super::super) const LONG: usize = 1024;

/// The lengths of the long arrays of a text.
pub(super) struct Sizes<'t> {
    text: &'t str,
    /// The arrays that were not requested yet, ordered by `at`. `None` before the first request.
    long: Option<VecDeque<Size>>,
    /// The address up to which the text was read, as a lower bound.
    read: usize,
}

struct Size {
    /// The position at which the array exceeds [`LONG`] elements.
    at: usize,
    /// The number of elements from that position on.
    rest: usize,
}

impl<'t> Sizes<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            long: None,
            read: 0,
        }
    }

    /// Records that a part of the text was read.
    #[inline]
    pub(super) fn read(&mut self, part: &str) {
        self.read = part.as_ptr().addr() + part.len();
    }

    /// Returns how many elements follow the first [`LONG`] ones of the current array.
    #[cold]
    pub(super) fn rest(&mut self) -> Option<usize> {
        let text = self.text.as_bytes();
        // A part of another text has an unrelated address: then nothing is known.
        let read = self.read.wrapping_sub(text.as_ptr().addr());
        let read = if read <= text.len() { read } else { 0 };
        let long = self.long.get_or_insert_with(|| count(text));
        // Arrays that were skipped are dropped. Each length is returned once, so that their sum
        // never exceeds what the text can hold.
        while let Some(size) = long.pop_front() {
            if size.at >= read {
                return Some(size.rest);
            }
        }
        None
    }
}

/// Counts the elements of long arrays, in one pass.
fn count(bytes: &[u8]) -> VecDeque<Size> {
    /// An open array or object: the number of separators so far, and its index among the long
    /// arrays.
    #[derive(Clone, Copy)]
    struct Open {
        is_array: bool,
        separators: usize,
        index: usize,
    }
    let mut long: VecDeque<Size> = VecDeque::new();
    let mut outer: Vec<Open> = Vec::new();
    let mut open = Open {
        is_array: false,
        separators: 0,
        index: 0,
    };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b',' => {
                open.separators += 1;
                if open.separators == LONG && open.is_array {
                    open.index = long.len();
                    long.push_back(Size { at, rest: 0 });
                }
            }
            b'"' => at += string_end(bytes.get(at..).unwrap_or_default()) + 1,
            b'[' | b'{' if outer.len() <= NESTING_LIMIT => {
                outer.push(open);
                open.is_array = *byte == b'[';
                open.separators = 0;
            }
            // Deeper nesting is rejected when it is decoded.
            b'[' | b'{' => return long,
            b']' | b'}' => {
                if open.is_array && open.separators + 1 == LONG {
                    // The decoder requests the length when it tries to read one more element, which
                    // does not exist.
                    long.push_back(Size { at, rest: 0 });
                } else if open.is_array
                    && open.separators >= LONG
                    && let Some(size) = long.get_mut(open.index)
                {
                    size.rest = open.separators + 1 - LONG;
                }
                let Some(last) = outer.pop() else {
                    return long;
                };
                open = last;
            }
            _ => {}
        }
    }
    long
}

/// Returns the index of the closing quote of a string, given the bytes after its opening quote.
pub(in super::super) fn string_end(bytes: &[u8]) -> usize {
    const STEP: usize = 16;
    let special = |byte: u8| matches!(byte, b'"' | b'\\');
    let mut at = 0;
    loop {
        // Without a branch for each byte, so that the compiler vectorizes the comparison.
        while let Some(step) = bytes.get(at..at + STEP)
            && !step
                .iter()
                .fold(false, |found, byte| found | special(*byte))
        {
            at += STEP;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.iter().position(|byte| special(*byte)) {
            None => return bytes.len(),
            Some(next) if rest.get(next) == Some(&b'"') => return at + next,
            Some(next) => at += next + 2,
        }
    }
}
