//! Which names look like secrets, and how their values are removed from what is recorded.

mod arguments;
mod json;
mod text;

pub(crate) use arguments::command_line;
pub(crate) use json::{is_too_deep, message};
use mcp_gateway::config::is_secret_member as is_secret;
pub(crate) use text::{text, urls};

/// What replaces a secret.
pub(crate) const REMOVED: &str = "[removed]";

/// Further names of secrets in the query of a URL.
const IN_QUERIES: [&str; 5] = ["key", "code", "sig", "state", "sessionid"];

/// Returns `true` for names such as `maxTokens`, whose numbers are not secret.
fn counts(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("tokens")
}

/// Returns `true` if a parameter of a URL looks like a secret.
fn is_secret_in_query(name: &str) -> bool {
    let mut plain = name.to_ascii_lowercase();
    plain.retain(|c| c.is_ascii_alphanumeric());
    is_secret(name) || IN_QUERIES.contains(&&*plain) || plain.ends_with("signature")
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
    if is_secret(name) || name.eq_ignore_ascii_case("mcp-session-id") {
        return REMOVED.to_owned();
    }
    // Such as in `Location`.
    if value.starts_with('/') {
        return path(value);
    }
    text(value).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use mcp_gateway::config::SECRET_NAMES;

    use super::*;

    #[test]
    fn help_lists_all_names() {
        let program = crate::args::Mcp::command();
        let record = program.find_subcommand("record").expect("the command");
        let help = record.get_long_about().expect("a help").to_string();
        let mut help = help.to_lowercase();
        help.retain(|c| c.is_ascii_lowercase() || c == ',');
        for name in SECRET_NAMES.iter().chain(&IN_QUERIES) {
            assert!(help.contains(name), "{name}");
        }
    }
}
