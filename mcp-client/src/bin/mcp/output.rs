//! [`Output`]: what goes to the user's terminal, or to whatever reads in its place.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::clean;

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
    #[expect(clippy::unused_self, reason = "all output goes through this type")]
    pub(crate) fn line(self, line: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{}", clean::line(line))
    }

    /// Prints a text of several lines.
    #[expect(clippy::unused_self, reason = "all output goes through this type")]
    pub(crate) fn block(self, text: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{}", clean::text(text))
    }

    /// Prints a message, which may have several lines, among others.
    #[expect(clippy::unused_self, reason = "all output goes through this type")]
    pub(crate) fn message(self, message: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{}", clean::message(message))
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
            writeln!(io::stdout(), "{}", clean::json(text))
        } else {
            writeln!(io::stdout(), "{text}")
        }
    }

    /// Prints a value as JSON.
    pub(crate) fn value(self, value: &impl Serialize) -> io::Result<()> {
        self.json(&mcp_client::types::json::to_string(value)?)
    }

    /// Writes the text of a resource as it is, except to a terminal, which would obey it: who
    /// redirects it wants to have the resource.
    pub(crate) fn text(self, text: &str) -> io::Result<()> {
        if self.terminal {
            return self.block(text.trim_end_matches('\n'));
        }
        io::stdout().write_all(text.as_bytes())?;
        io::stdout().flush()
    }
}

/// Says on stderr what is wrong.
pub(crate) fn complain(text: &str) {
    note(&format!("mcp: {text}"));
}

/// Says something on stderr, beside the result.
pub(crate) fn note(text: &str) {
    // There is no place left to complain that nobody reads complaints.
    let _ = writeln!(io::stderr(), "{}", clean::message(text));
}

/// Shows on stderr what happens.
pub(crate) fn trace() {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(clean::Traced)
        .with_ansi(false)
        .without_time()
        .init();
}
