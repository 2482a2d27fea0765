//! Secrets in the command line of a server.

use std::ffi::OsString;

use super::{REMOVED, is_secret, text};

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
        is_value = word.starts_with('-') && !word.contains('=') && is_secret(&word);
        shown.push(text(&word).into_owned());
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
            "--verbose",
            "kept",
        ];
        let words: Vec<_> = words.iter().map(OsString::from).collect();
        let shown = command_line(&words).join(" ");
        let expected = "server --api-key [removed] --token=[removed] PASSWORD=[removed] \
                        https://[removed]@example.com/x?sig=[removed]&a=1 --verbose kept";
        assert_eq!(shown, expected);
    }
}
