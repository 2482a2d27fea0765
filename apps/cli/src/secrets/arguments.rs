//! Secrets in the command line of a server.

use std::ffi::OsString;

use mcp_gateway::config::named_value;

use super::{Place, REMOVED, is_secret_name, text};

/// Returns the words of a command line without secrets: `--token SECRET`, `--token=SECRET`,
/// `TOKEN=SECRET` and URLs.
pub(crate) fn command_line(words: &[OsString]) -> Vec<String> {
    let mut is_value = false;
    let mut shown = Vec::with_capacity(words.len());
    for word in words {
        let word = word.to_string_lossy();
        if is_value && !word.starts_with("--") {
            shown.push(REMOVED.to_owned());
            is_value = false;
            continue;
        }
        let is_option = word.starts_with('-') && !word.contains('=');
        is_value = is_option && is_secret_name(&word, Place::Setting);
        shown.push(match named_value(&word) {
            Some((name, value))
                if !word.contains("://") && is_secret_name(name, Place::Setting) =>
            {
                let before = word.strip_suffix(value).unwrap_or_default();
                format!("{before}{REMOVED}")
            }
            _ => text(&word).into_owned(),
        });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_options_are_removed() {
        let words = [
            "server",
            "--api-key",
            "-abc",
            "--token=abc",
            "PASSWORD=abc",
            "https://me:abc@example.com/x?sig=abc&a=1",
            "--pass",
            "abc",
            "OPENAI_KEY=abc",
            "--verbose",
            "kept",
        ];
        let words: Vec<_> = words.iter().map(OsString::from).collect();
        let shown = command_line(&words).join(" ");
        let expected = "server --api-key [removed] --token=[removed] PASSWORD=[removed] \
                        https://[removed]@example.com/x?sig=[removed]&a=1 \
                        --pass [removed] OPENAI_KEY=[removed] --verbose kept";
        assert_eq!(shown, expected);
    }
}
