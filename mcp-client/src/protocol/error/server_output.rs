//! [`ServerOutput`]: what a server wrote beside its messages.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use mcp_types::peer_text::PeerLine;

/// What a server wrote beside its messages, such as a login address or the name of a variable that
/// is not set. The last lines, at most 4 KiB of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerOutput {
    /// The last lines of its standard error; empty if it is not captured.
    pub stderr: String,
    /// Its last output that is no message.
    pub other: String,
}

/// Returns the lines with which an error ends. Control characters are escaped.
pub(super) fn last_lines(stderr: &str, other: &str) -> String {
    let mut text = String::new();
    for (name, lines) in [
        ("the last lines of its standard error", stderr),
        ("its last output that is no message", other),
    ] {
        if !lines.is_empty() {
            let lines = lines.lines().map(|line| format!("\n{}", PeerLine(line)));
            text.push_str(&format!("; {name}:{}", lines.collect::<String>()));
        }
    }
    text
}

/// The maximum size of the remembered lines in bytes.
pub(crate) const REMEMBERED: usize = 4 << 10;

/// The last lines that a server wrote beside its messages, for errors: they often contain the
/// reason why it does not respond.
#[derive(Default)]
pub(crate) struct LastOutput {
    pub(crate) stderr: LastLines,
    /// Output that is no message, and errors that respond to no request.
    pub(crate) other: LastLines,
}

impl LastOutput {
    pub(crate) fn get(&self) -> ServerOutput {
        ServerOutput {
            stderr: self.stderr.text(),
            other: self.other.text(),
        }
    }
}

/// The last lines of a text.
#[derive(Default)]
pub(crate) struct LastLines(Mutex<VecDeque<String>>);

impl LastLines {
    /// Adds a line of at most [`REMEMBERED`] bytes, and drops the oldest ones.
    pub(crate) fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line);
        let size =
            |lines: &VecDeque<String>| lines.iter().map(|line| line.len() + 1).sum::<usize>();
        while lines.len() > 1 && (lines.len() > REMEMBERED / 16 || size(&lines) > REMEMBERED) {
            lines.pop_front();
        }
    }

    #[cfg(feature = "process")]
    pub(crate) fn clear(&self) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clear();
    }

    pub(crate) fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.join("\n")
    }
}
