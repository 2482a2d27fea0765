//! [`Sizes`]: the lengths of long arrays, counted in the text before the arrays are decoded.
//!
//! A list that grows while it is decoded exists twice whenever it is reallocated, and ends with
//! unused capacity. `[0,0,..]` has two bytes of text for each element, so the list could take up to
//! 48 times the length of its text. Therefore an array that exceeds [`LONG`] elements requests its
//! length and is allocated with exactly that capacity. The first request scans the text once for
//! all arrays that follow. Objects do not need this: the text of a member is longer.

use super::super::format::NESTING_LIMIT;
use super::scan::string_end;

/// Arrays with more elements than this are measured in advance. Shorter ones grow, because scanning
/// the text a second time would cost time for every message.
pub(super) const LONG: usize = 1024;

/// The lengths of the long arrays of a text, ordered by `at`.
#[derive(Default)]
pub(super) struct Sizes {
    /// `None` before the first request.
    all: Option<Vec<Size>>,
    /// The number of lengths that were requested, or belong to arrays that were skipped.
    passed: usize,
}

struct Size {
    /// The position at which the array exceeds [`LONG`] elements.
    at: usize,
    /// The number of elements from that position on.
    rest: usize,
}

impl Sizes {
    /// Returns how many elements follow the first [`LONG`] ones of the current array. `text` was read up
    /// to the position `read`.
    #[cold]
    pub(super) fn rest(&mut self, text: &[u8], read: usize) -> Option<usize> {
        let all = self.all.get_or_insert_with(|| count(text));
        // Each length is returned once, so that their sum never exceeds what the text can hold.
        while let Some(size) = all.get(self.passed) {
            self.passed += 1;
            if size.at >= read {
                return Some(size.rest);
            }
        }
        None
    }

    /// Returns how many lengths were passed.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.passed
    }

    /// Forgets that lengths were passed, when their arrays are decoded again.
    #[inline]
    pub(super) fn return_to(&mut self, position: usize) {
        self.passed = position;
    }
}

/// Counts the elements of long arrays, in one pass.
fn count(bytes: &[u8]) -> Vec<Size> {
    /// An open array or object: the number of separators so far, and its index among the long
    /// arrays.
    #[derive(Clone, Copy)]
    struct Open {
        is_array: bool,
        separators: usize,
        index: usize,
    }
    let mut long: Vec<Size> = Vec::new();
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
                    long.push(Size { at, rest: 0 });
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
                    long.push(Size { at, rest: 0 });
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
