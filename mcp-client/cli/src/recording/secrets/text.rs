//! Secrets in texts: in URLs, after `Bearer`, and after names such as in `TOKEN=abc`.

use std::borrow::Cow;
use std::ops::Range;

use super::{REMOVED, is_secret, is_secret_in_query};

/// The schemes of credentials that stand before them.
const SCHEMES: [&str; 2] = ["bearer ", "basic "];

/// The shortest word after a scheme that is removed.
const CREDENTIALS: usize = 8;

/// The longest name before `=` or `:`, in bytes.
const NAME: usize = 64;

/// Removes the user names, passwords and secret parameters of URLs, and credentials after `Bearer`
/// and `Basic`.
pub(crate) fn urls(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    find_urls(text, &mut found);
    find_credentials(text, &mut found);
    without(text, found)
}

/// Removes the same as [`urls`], and what follows secret names and `=` or `:`.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    find_urls(text, &mut found);
    find_credentials(text, &mut found);
    find_values(text, &mut found);
    without(text, found)
}

/// Replaces parts of a text, which may overlap.
pub(super) fn without(text: &str, mut parts: Vec<Range<usize>>) -> Cow<'_, str> {
    if parts.is_empty() {
        return text.into();
    }
    parts.sort_by_key(|part| (part.start, part.end));
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for part in parts {
        if part.end <= done {
            continue;
        }
        if part.start >= done {
            shown.push_str(text.get(done..part.start).unwrap_or_default());
            shown.push_str(REMOVED);
        }
        done = part.end;
    }
    shown.push_str(text.get(done..).unwrap_or_default());
    shown.into()
}

/// Returns the length of the part in front of the first of some characters.
fn until(text: &str, ends: impl FnMut(char) -> bool) -> usize {
    text.find(ends).unwrap_or(text.len())
}

fn ends_url(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '\\')
}

fn find_urls(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find("://")) {
        let start = at + next + 3;
        let rest = text.get(start..).unwrap_or_default();
        let url = rest.get(..until(rest, ends_url)).unwrap_or_default();
        let authority = until(url, |c| matches!(c, '/' | '?' | '#'));
        if let Some(user) = url.get(..authority).and_then(|host| host.rfind('@')) {
            found.push(start..start + user);
        }
        // Another URL in the query is looked at as a part of this one.
        find_parameters(url, start, found);
        at = start + url.len();
    }
}

/// Finds the secret parameters of the query and of the fragment.
fn find_parameters(url: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let mut at = until(url, |c| matches!(c, '?' | '#'));
    while at < url.len() {
        let rest = url.get(at + 1..).unwrap_or_default();
        let length = until(rest, |c| matches!(c, '&' | ';' | '#' | '?'));
        let parameter = rest.get(..length).unwrap_or_default();
        if let Some((name, value)) = parameter.split_once('=')
            && is_secret_in_query(name)
            && !value.is_empty()
        {
            let value_start = start + at + 1 + name.len() + 1;
            found.push(value_start..value_start + value.len());
        }
        at += 1 + length;
    }
}

fn find_credentials(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, _) in text.match_indices(' ') {
        let starts = SCHEMES.iter().any(|scheme| {
            let start = (at + 1).checked_sub(scheme.len());
            let word = start.and_then(|start| text.get(start..=at));
            word.is_some_and(|word| word.eq_ignore_ascii_case(scheme))
        });
        if starts {
            let rest = text.get(at + 1..).unwrap_or_default();
            let length = until(rest, |c| ends_url(c) || c == ',');
            if length >= CREDENTIALS {
                found.push(at + 1..at + 1 + length);
            }
        }
    }
}

fn find_values(text: &str, found: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (at, sign) in text.match_indices(['=', ':']) {
        if at < done {
            continue;
        }
        let before = text.get(..at).unwrap_or_default();
        let before = before.trim_end_matches(' ');
        let before = before.trim_end_matches(['"', '\'', '\\']);
        let name = before.bytes().rev().take(NAME);
        let length = name
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
            .count();
        let name = before.get(before.len() - length..).unwrap_or_default();
        if !is_secret(name) {
            continue;
        }
        let start = at + sign.len();
        let rest = text.get(start..).unwrap_or_default();
        let value = rest.trim_start_matches([' ', '\t', '"', '\'', '\\']);
        let opening = rest.get(..rest.len() - value.len()).unwrap_or_default();
        let quote = opening.chars().next_back();
        let quote = quote.filter(|c| matches!(c, '"' | '\''));
        let is_header = name.to_ascii_lowercase().ends_with("authorization")
            || name.to_ascii_lowercase().ends_with("cookie");
        let length = if opening.ends_with("\\\"") {
            value.find("\\\"").unwrap_or(value.len())
        } else if let Some(quote) = quote {
            quoted(value, quote)
        } else if is_header {
            until(value, |c| matches!(c, '\r' | '\n' | '"' | '\''))
        } else {
            until(value, |c| ends_url(c) || matches!(c, ',' | ';' | '&'))
        };
        if length > 0 {
            let start = start + rest.len() - value.len();
            found.push(start..start + length);
            done = start + length;
        }
    }
}

/// Returns the length of a text until the quote that ends it. Quotes after a backslash do not.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    until(text, |c| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_texts_are_removed() {
        for (given, expected) in [
            ("TOKEN=abc x", "TOKEN=[removed] x"),
            (r#"{"password": "abc", "#, r#"{"password": "[removed]", "#),
            (
                "Authorization: Bearer abc def\nx",
                "Authorization: [removed]\nx",
            ),
            ("used bearer abcdefgh.i", "used bearer [removed]"),
            ("a basic idea", "a basic idea"),
            (
                "see https://u:p@h/x?code=1&b=2#access_token=3",
                "see https://[removed]@h/x?code=[removed]&b=2#access_token=[removed]",
            ),
            ("postgres://u:p@h/db", "postgres://[removed]@h/db"),
            ("token: ", "token: "),
            (
                r#"{"password": "a b, c", "n": 1}"#,
                r#"{"password": "[removed]", "n": 1}"#,
            ),
            (r#"{"password": "a\" b"}"#, r#"{"password": "[removed]"}"#),
            (
                r#""{\"token\": \"a b\", \"n\": 1}""#,
                r#""{\"token\": \"[removed]\", \"n\": 1}""#,
            ),
            ("é: token=ü, é", "é: token=[removed], é"),
        ] {
            assert_eq!(text(given), expected);
        }
        assert_eq!(urls("token: this one"), "token: this one");
    }
}
