//! [`ServerOutput`]: what a server wrote beside its messages.

use mcp_internal::peer_text::PeerLine;

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
