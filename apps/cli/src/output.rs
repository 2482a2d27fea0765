//! [`Output`]: prints results on standard output, and messages on standard error.

pub(crate) mod clean;
pub(crate) mod exact;
pub(crate) mod html;
pub(crate) mod log;
pub(crate) mod paint;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod yaml;

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{OutputFormat, Show};
use crate::wire::Wire;
use paint::Paint;

/// Standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Whether to print one JSON value instead of text.
    pub(crate) json: bool,
    format: Option<OutputFormat>,
    /// The maximum number of elements of a list.
    pub(crate) limit: usize,
    /// Whether a user sees standard output.
    pub(crate) terminal: bool,
    colours: bool,
}

impl Output {
    pub(crate) fn new(show: Show) -> Self {
        let terminal = io::stdout().is_terminal();
        let is_value = matches!(show.format, Some(OutputFormat::Json | OutputFormat::Yaml));
        Self {
            json: show.json || is_value,
            format: show.format,
            limit: show.limit.unwrap_or(usize::MAX),
            terminal,
            colours: terminal && paint::is_wanted(),
        }
    }

    /// Returns `true` if lists are printed as tables.
    pub(crate) fn is_table(self) -> bool {
        self.format == Some(OutputFormat::Table)
    }

    /// Prints a line that begins with a word in a colour.
    pub(crate) fn painted(self, paint: Paint, word: &str, line: &str) -> io::Result<()> {
        if !self.colours {
            return self.line(&format!("{word}{line}"));
        }
        let (word, line) = (clean::line(word), clean::line(line));
        writeln!(io::stdout(), "{}{line}", paint.on(&word))
    }

    /// Prints the first line about an element of a list.
    pub(crate) fn heading(self, line: &str) -> io::Result<()> {
        self.painted(Paint::Bold, line, "")
    }

    /// Prints a line that may contain text of the server.
    #[expect(clippy::unused_self, reason = "all output goes through this type")]
    pub(crate) fn line(self, line: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{}", clean::line(line))
    }

    /// Prints a text of several lines.
    #[expect(clippy::unused_self, reason = "all output goes through this type")]
    pub(crate) fn block(self, text: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{}", clean::text(text))
    }

    /// Prints a message, whose further lines are indented.
    #[expect(clippy::unused_self, reason = "all output goes through this type")]
    pub(crate) fn message(self, message: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{}", clean::message(message))
    }

    /// Prints each line of a text, indented.
    pub(crate) fn indented(self, text: &str) -> io::Result<()> {
        text.trim_end()
            .lines()
            .try_for_each(|line| self.line(format!("  {line}").trim_end()))
    }

    /// Prints JSON text. On a terminal, control characters are escaped.
    pub(crate) fn json(self, text: &str) -> io::Result<()> {
        if self.format == Some(OutputFormat::Yaml) {
            let text = yaml::from_json(text)?;
            // The format escapes control characters, but not those that reorder text.
            let text = if self.terminal {
                clean::text(&text)
            } else {
                text.into()
            };
            return write!(io::stdout(), "{text}");
        }
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

    /// Writes the text of a resource: unchanged to a file or a pipe, but with control characters
    /// escaped to a terminal, which would execute them.
    pub(crate) fn text(self, text: &str) -> io::Result<()> {
        if self.terminal {
            return self.block(text.trim_end_matches('\n'));
        }
        io::stdout().write_all(text.as_bytes())?;
        io::stdout().flush()
    }
}

/// Prints an error on stderr.
pub(crate) fn print_error(text: &str) {
    print_message(&format!("mcp: {text}"));
}

/// Prints a message on stderr.
pub(crate) fn print_message(text: &str) {
    // If stderr is closed, there is nowhere to report it.
    let _ = writeln!(io::stderr(), "{}", clean::message(text));
}

/// Writes the events of this project's crates to stderr if `verbose`, and passes them to a check.
/// Those of the libraries below them are left out.
pub(crate) fn trace(verbose: bool, check: Option<Wire>) {
    let crates = [
        "mcp",
        "mcp_client",
        "mcp_gateway",
        "mcp_server",
        "mcp_types",
    ];
    let targets = crates.map(|name| (name, Level::DEBUG));
    let events = verbose.then(|| {
        let events = tracing_subscriber::fmt::layer()
            .with_writer(clean::LogWriter)
            .with_ansi(false)
            .without_time();
        events.with_filter(Targets::new().with_targets(targets))
    });
    let check = check.map(|wire| {
        let targets = Targets::new().with_target("mcp_client", Level::WARN);
        wire.with_filter(targets)
    });
    tracing_subscriber::registry()
        .with(events)
        .with(check)
        .init();
}
