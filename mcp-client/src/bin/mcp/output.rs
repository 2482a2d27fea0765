//! [`Output`]: what goes to the user's terminal, or to whatever reads in its place.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// Standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// One JSON value instead of words.
    pub(crate) json: bool,
    terminal: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        Self { json, terminal }
    }

    /// Prints a line that may hold what a server says.
    pub(crate) fn line(self, line: &str) -> io::Result<()> {
        let line = if self.terminal {
            clean(line)
        } else {
            line.into()
        };
        writeln!(io::stdout(), "{line}")
    }

    /// Prints each line of a text with the same room before it.
    pub(crate) fn indented(self, text: &str) -> io::Result<()> {
        text.trim_end()
            .lines()
            .try_for_each(|line| self.line(format!("  {line}").trim_end()))
    }

    /// Prints JSON text as it is.
    pub(crate) fn json(self, text: &str) -> io::Result<()> {
        if self.terminal {
            writeln!(io::stdout(), "{}", clean_json(text))
        } else {
            writeln!(io::stdout(), "{text}")
        }
    }

    /// Prints a value as JSON.
    pub(crate) fn value(self, value: &impl Serialize) -> io::Result<()> {
        self.json(&mcp_client::types::json::to_string(value)?)
    }

    /// Writes bytes as they are, except to a terminal, which would obey them.
    pub(crate) fn text(self, text: &str) -> io::Result<()> {
        if self.terminal {
            return self.line(text.trim_end_matches('\n'));
        }
        io::stdout().write_all(text.as_bytes())?;
        io::stdout().flush()
    }
}

/// A text without what a terminal obeys or hides behind.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(is_unfit) {
        text.replace(is_unfit, "\u{FFFD}").into()
    } else {
        text.into()
    }
}

fn is_unfit(c: char) -> bool {
    let turns = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// The same for JSON, which says it in other words. Below these, JSON allows none in texts.
fn clean_json(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unfit(c) && !c.is_ascii_whitespace() {
            clean.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            clean.push(c);
        }
    }
    clean
}

/// Says on stderr what is wrong.
pub(crate) fn complain(text: &str) {
    note(&format!("mcp: {text}"));
}

/// Says something on stderr, beside the result.
pub(crate) fn note(text: &str) {
    // There is no place left to complain that nobody reads complaints.
    let _ = writeln!(io::stderr(), "{}", clean(text));
}

/// Shows on stderr what happens.
pub(crate) fn trace() {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(io::stderr)
        .with_ansi(false)
        .without_time()
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_a_terminal() {
        assert_eq!(
            clean("a\x1b[31mb\u{9b}2J\u{202e}c\td"),
            "a\u{FFFD}[31mb\u{FFFD}2J\u{FFFD}c\td"
        );
        assert_eq!(
            clean_json("{\"a\": \"\u{9b}2J\x7f\"}"),
            r#"{"a": "\u009b2J\u007f"}"#
        );
    }
}
