//! Which names look like secrets, and how their values are removed from what is recorded.

mod arguments;
mod json;
mod text;

pub(crate) use arguments::command_line;
pub(crate) use json::message;
pub(crate) use text::{text, urls};

/// What replaces a secret.
pub(crate) const REMOVED: &str = "[removed]";

/// A name looks like that of a secret if it ends with one of these, regardless of case and of
/// characters other than letters and digits.
pub(crate) const NAMES: [&str; 22] = [
    "token",
    "tokens",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "apikey",
    "accesskey",
    "authkey",
    "privatekey",
    "secretkey",
    "signingkey",
    "credential",
    "credentials",
    "authorization",
    "cookie",
    "jwt",
    "bearer",
    "clientassertion",
    "codeverifier",
];

/// Names with these endings are not secret.
const EXCEPT: [&str; 3] = ["progresstoken", "pagetoken", "nexttoken"];

/// Further names of secrets in the query of a URL.
const IN_QUERIES: [&str; 5] = ["key", "code", "sig", "state", "sessionid"];

/// The longest name that is compared, in bytes. Of longer ones only the end counts.
const LONGEST: usize = 64;

/// Returns `true` if a name looks like that of a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = plain(name);
    let ends = |ending: &&str| name.ends_with(*ending);
    NAMES.iter().any(ends) && !EXCEPT.iter().any(ends)
}

/// Returns `true` for names such as `maxTokens`, whose numbers are not secret.
fn counts(name: &str) -> bool {
    plain(name).ends_with("tokens")
}

/// Returns `true` if a parameter of a URL looks like a secret.
fn is_secret_in_query(name: &str) -> bool {
    is_secret(name) || IN_QUERIES.contains(&&*plain(name)) || plain(name).ends_with("signature")
}

/// Returns the letters and digits at the end of a name, in lower case.
fn plain(name: &str) -> String {
    let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let mut plain: Vec<u8> = letters.take(LONGEST).collect();
    plain.reverse();
    plain.make_ascii_lowercase();
    String::from_utf8(plain).unwrap_or_default()
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

    use super::*;

    #[test]
    fn help_lists_all_names() {
        let program = crate::args::Mcp::command();
        let record = program.find_subcommand("record").expect("the command");
        let help = record.get_long_about().expect("a help").to_string();
        let mut help = help.to_lowercase();
        help.retain(|c| c.is_ascii_lowercase() || c == ',');
        for name in NAMES.iter().chain(&IN_QUERIES) {
            let listed = help.contains(name) || help.contains(name.trim_end_matches('s'));
            assert!(listed, "{name}");
        }
    }

    #[test]
    fn names_of_secrets_are_recognized() {
        for name in [
            "token",
            "GITHUB_TOKEN",
            "accessToken",
            "x-api-key",
            "API Key",
            "client.secret",
            "Authorization",
            "Set-Cookie",
            "AWS_SECRET_ACCESS_KEY",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "progressToken",
            "nextPageToken",
            "name",
            "key",
            "tokenizer",
            "",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
