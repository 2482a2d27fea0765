//! What looks like a secret, and how it is removed from recordings, from the history of the shell,
//! and from logs. `mcp install` writes nothing that looks like one.

mod arguments;
mod forms;
mod json;
mod names;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use arguments::command_line;
pub(crate) use json::{TaskIds, is_too_deep, message};
pub(crate) use names::{Place, is_secret_name};
pub(crate) use text::{KeyLines, text, urls};

/// What replaces a secret.
pub(crate) const REMOVED: &str = "[removed]";

/// Returns `true` if a value looks like a secret by itself: a token or a key of a known form, or a
/// URL with a password. Most secrets do not look like one.
pub(crate) fn is_secret_value(value: &str) -> bool {
    mcp_gateway::config::is_secret_value(value) || forms::has_secret(value)
}

/// Returns `true` if a part of a command line looks like a secret.
pub(crate) fn has_secret(line: &str) -> bool {
    let is_secret_word = |word: &str| {
        mcp_gateway::config::named_value(word).is_some_and(|(name, value)| {
            is_secret_name(name, Place::Setting) || is_secret_value(value)
        })
    };
    is_secret_value(line) || line.split_ascii_whitespace().any(is_secret_word) || text(line) != line
}

/// Returns a path with its query, without secret parameters.
pub(crate) fn path(path: &str) -> String {
    let url = format!("{ORIGIN}{path}");
    let shown = urls(&url);
    shown.strip_prefix(ORIGIN).unwrap_or_default().to_owned()
}

/// What makes a URL of a path.
const ORIGIN: &str = "http://x";

/// Returns the value of a header for the recording.
pub(crate) fn header(name: &str, value: &str) -> String {
    // Those of the protocol repeat members of messages.
    let is_of_protocol = name.to_ascii_lowercase().starts_with("mcp-");
    let place = if is_of_protocol {
        Place::Member
    } else {
        Place::Setting
    };
    if is_secret_name(name, place) || name.eq_ignore_ascii_case("mcp-session-id") {
        return REMOVED.to_owned();
    }
    // Such as in `Location`.
    if value.starts_with('/') {
        return path(value);
    }
    text(value).into_owned()
}
