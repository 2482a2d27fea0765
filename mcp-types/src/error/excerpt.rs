//! Bounds for the text of peers in errors.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// The maximum number of bytes of a peer's text that an error repeats.
const EXCERPT: usize = 200;

/// The number of bytes of a message that are kept at its start, and at its end.
const HALF: usize = 512;

const ELLIPSIS: char = '…';

/// Shortens text sent by a peer for use in an error: returns at most 200 bytes, followed by an
/// ellipsis if there are more.
///
/// Control characters are kept. Code that writes the error to a log or a terminal must escape them.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    if text.len() <= EXCERPT {
        return Cow::Borrowed(text);
    }
    let mut shown = beginning(text, EXCERPT).to_owned();
    shown.push(ELLIPSIS);
    Cow::Owned(shown)
}

/// A message that cannot grow beyond about 1 KiB. The middle of a longer one is omitted, because
/// its start says what is wrong and its end what was expected.
#[derive(Default)]
pub(super) struct Bounded {
    beginning: String,
    /// The text after the start once that is full. At most twice as long as what is kept of it.
    end: String,
    /// `true` if text was omitted between the two.
    cut: bool,
}

impl Bounded {
    pub(super) fn into_string(mut self) -> String {
        self.shorten_end();
        if self.cut {
            self.beginning.push(ELLIPSIS);
        }
        self.beginning.push_str(&self.end);
        self.beginning
    }

    /// Returns the message, shortened to the bound.
    pub(super) fn message(text: String) -> String {
        if text.len() <= 2 * HALF {
            return text;
        }
        let mut bounded = Self::default();
        // Writing to a `Bounded` never fails.
        let _ = bounded.write_str(&text);
        bounded.into_string()
    }

    fn shorten_end(&mut self) {
        let kept = end(&self.end, HALF).len();
        if kept < self.end.len() {
            self.cut = true;
            self.end.drain(..self.end.len() - kept);
        }
    }
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        if self.end.is_empty() && !self.cut {
            let taken = beginning(rest, HALF.saturating_sub(self.beginning.len()));
            self.beginning.push_str(taken);
            rest = rest.get(taken.len()..).unwrap_or_default();
        }
        let kept = end(rest, HALF);
        if kept.len() < rest.len() {
            self.end.clear();
            self.cut = true;
        }
        self.end.push_str(kept);
        if self.end.len() > 2 * HALF {
            self.shorten_end();
        }
        Ok(())
    }
}

/// Returns the first characters of a text, at most `limit` bytes.
fn beginning(text: &str, limit: usize) -> &str {
    (0..=limit.min(text.len()))
        .rev()
        .find_map(|at| text.get(..at))
        .unwrap_or_default()
}

/// Returns the last characters of a text, at most `limit` bytes.
fn end(text: &str, limit: usize) -> &str {
    (text.len().saturating_sub(limit)..=text.len())
        .find_map(|at| text.get(at..))
        .unwrap_or_default()
}
