//! Bounds on the text that an error repeats.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// How many bytes of a peer's text an error repeats.
const EXCERPT: usize = 200;

/// How many bytes of a message are kept at its beginning, and as many at its end.
const HALF: usize = 512;

const ELLIPSIS: char = '…';

/// Shortens text that a peer has written to what an error may repeat: at most 200 bytes, and an
/// ellipsis if there are more.
///
/// Control characters stay as they are; the code that writes the error to a log or a terminal has
/// to escape them.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    if text.len() <= EXCERPT {
        return Cow::Borrowed(text);
    }
    let mut shown = beginning(text, EXCERPT).to_owned();
    shown.push(ELLIPSIS);
    Cow::Owned(shown)
}

/// A message that cannot grow beyond 1 KiB: the middle of a longer one is left out, since the
/// beginning says what is wrong, and the end what was expected.
#[derive(Default)]
pub(super) struct Bounded {
    beginning: String,
    /// What follows the beginning once that is full; at most twice as long as what is kept.
    end: String,
    /// Whether something is left out between the two.
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

    /// A message within the bound.
    pub(super) fn message(text: String) -> String {
        if text.len() <= 2 * HALF {
            return text;
        }
        let mut bounded = Self::default();
        // A `Bounded` can always be written to.
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

/// The first characters of a text, `limit` bytes at most.
fn beginning(text: &str, limit: usize) -> &str {
    (0..=limit.min(text.len()))
        .rev()
        .find_map(|at| text.get(..at))
        .unwrap_or_default()
}

/// The last characters of a text, `limit` bytes at most.
fn end(text: &str, limit: usize) -> &str {
    (text.len().saturating_sub(limit)..=text.len())
        .find_map(|at| text.get(at..))
        .unwrap_or_default()
}
