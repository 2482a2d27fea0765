//! [`Sizes`]: how many elements long arrays have, counted in the text before they are read.
//!
//! A list that grows while it is read is there twice whenever it moves, and ends with room that
//! nothing uses: `[0,0,..]` has two bytes for each element, and would take up to 48 times its text.
//! So an array that exceeds [`LONG`] elements asks for its size, and gets a place of exactly that
//! size. The first one that asks has the text walked once, for all that follow. Objects need no
//! such care: the text of a member is longer.

use std::collections::VecDeque;

use super::super::de::NESTING_LIMIT;

/// Arrays with more elements than this know their size beforehand. Shorter ones grow: to look at the
/// text once more would cost time with every message.
pub(in super::super) const LONG: usize = 1024;

/// The sizes of the long arrays of a text.
pub(super) struct Sizes<'t> {
    text: &'t str,
    /// Those that were not asked for yet, in the order of `at`; `None` before somebody asks.
    long: Option<VecDeque<Size>>,
    /// The address up to which the text was read, at least.
    read: usize,
}

struct Size {
    /// Where the array exceeds [`LONG`] elements.
    at: usize,
    /// How many elements it has from there on.
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

    /// Notes that a part of the text was read.
    #[inline]
    pub(super) fn read(&mut self, part: &str) {
        self.read = part.as_ptr().addr() + part.len();
    }

    /// How many elements follow the first [`LONG`] ones of the array at hand.
    #[cold]
    pub(super) fn rest(&mut self) -> Option<usize> {
        let text = self.text.as_bytes();
        // A part of another text has another address: then nothing is known.
        let read = self.read.wrapping_sub(text.as_ptr().addr());
        let read = if read <= text.len() { read } else { 0 };
        let long = self.long.get_or_insert_with(|| count(text));
        // What was skipped and not read is passed over. Each size is given once, so that all
        // together never exceed what the text can hold.
        while let Some(size) = long.pop_front() {
            if size.at >= read {
                return Some(size.rest);
            }
        }
        None
    }
}

/// Counts the elements of long arrays, in one walk.
fn count(bytes: &[u8]) -> VecDeque<Size> {
    /// An array or object that is open: its separators so far, and its place among the long ones.
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
            // What nests deeper is refused when it is read.
            b'[' | b'{' => return long,
            b']' | b'}' => {
                if open.is_array && open.separators + 1 == LONG {
                    // Asks when it looks for one more element, which is not there.
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

/// Where the string ends whose text begins here.
pub(in super::super) fn string_end(bytes: &[u8]) -> usize {
    const STEP: usize = 16;
    let special = |byte: u8| matches!(byte, b'"' | b'\\');
    let mut at = 0;
    loop {
        // Without a branch for each byte, so that the compiler compares many at once.
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
