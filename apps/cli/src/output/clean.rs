//! Escapes text of servers before it is written to a terminal.

use std::borrow::Cow;
use std::io::{self, Write};

use mcp_types::peer_text::{is_unsafe, write_escaped};
use tracing_subscriber::fmt::MakeWriter;

use crate::secrets;

/// Escapes a text of one line: control characters, characters that change the direction of text,
/// and line ends, which could imitate lines of this program, become `\u{1b}`.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_unsafe(c) && c != '\t')
}

/// Escapes a text of several lines. Line ends are kept.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    let text = without_returns(text);
    match text {
        Cow::Borrowed(text) => escaped(text, must_be_escaped),
        Cow::Owned(text) => escaped(&text, must_be_escaped).into_owned().into(),
    }
}

/// Escapes a message and indents its further lines, so that they cannot imitate messages.
pub(crate) fn message(message: &str) -> String {
    text(message.trim_end()).replace('\n', "\n  ")
}

/// Escapes JSON text with the escapes of JSON, so that its meaning stays the same.
pub(crate) fn json(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) && !c.is_ascii_whitespace() {
            clean.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            clean.push(c);
        }
    }
    clean
}

fn must_be_escaped(c: char) -> bool {
    is_unsafe(c) && c != '\n' && c != '\t'
}

/// Replaces `\r\n` by `\n`.
fn without_returns(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

fn escaped(text: &str, unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&unfit) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if unfit(c) {
            // Writing to a `String` does not fail.
            let _ = write_escaped(&mut clean, c);
        } else {
            clean.push(c);
        }
    }
    clean.into()
}

/// Writes events of `tracing` to standard error: one escaped line for each event, without secrets.
pub(crate) struct LogWriter;

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

impl Write for LogWriter {
    /// Writes a whole event.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let end = if text.ends_with('\n') { "\n" } else { "" };
        let shown = secrets::text(text.trim_end_matches('\n'));
        let text = format!("{}{end}", line(&shown));
        io::stderr().write_all(text.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_a_terminal() {
        let sent = "a\x1b[31mb\u{9b}2J\u{202e}c\td\re\r\nf";
        assert_eq!(text(sent), "a\\u{1b}[31mb\\u{9b}2J\\u{202e}c\td\\u{d}e\nf");
        assert_eq!(
            line("name\nmcp: all is well\x1b[A"),
            "name\\u{a}mcp: all is well\\u{1b}[A"
        );
        assert_eq!(message("one\nmcp: two\n"), "one\n  mcp: two");
        assert_eq!(
            json("{\"a\": \"\u{9b}2J\x7f\u{2066}\"}\n"),
            "{\"a\": \"\\u009b2J\\u007f\\u2066\"}\n"
        );
    }
}
