//! [`Paint`]: colours on a terminal.

use std::env;

/// A colour, or bold letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Blue,
    Bold,
    Red,
    Yellow,
}

impl Paint {
    /// Adds the codes of a terminal to a text without control characters.
    pub(crate) fn on(self, text: &str) -> String {
        let code = match self {
            Self::Blue => "34",
            Self::Bold => "1",
            Self::Red => "31",
            Self::Yellow => "33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Returns `true` if the user wants colours on a terminal.
pub(crate) fn is_wanted() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
}
