//! Secrets in texts: in URLs, after `Bearer`, after names such as in `TOKEN=abc`, and those of
//! known forms.

use std::borrow::Cow;
use std::ops::Range;

use super::names::counts;
use super::{Place, REMOVED, forms, is_secret_name};

/// The schemes of credentials that stand before them.
const SCHEMES: [&str; 2] = ["bearer ", "basic "];

/// The shortest word after a scheme that is removed.
const CREDENTIALS: usize = 8;

/// The longest name before `=` or `:`, in bytes.
const NAME: usize = 64;

/// The shortest value after `:` that is removed from a text of a message.
const VALUE: usize = 6;

/// Words after `:` that describe a value.
const KINDS: [&str; 10] = [
    "array", "boolean", "false", "integer", "null", "number", "object", "optional", "required",
    "string",
];

/// The longest private key in PEM, in lines.
const KEY_LINES: usize = 200;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Output of programs, a header, or a line of the user: `token: abc` is a name and a value.
    Output,
    /// A text in a message. It may be prose or a program, so only what is clearly a value is one.
    Message,
}

/// Removes the user names, passwords and secret parameters of URLs, credentials after `Bearer` and
/// `Basic`, and secrets of known forms.
pub(crate) fn urls(text: &str) -> Cow<'_, str> {
    without(text, found(text))
}

/// Removes the same as [`urls`], and what follows secret names and `=` or `:`.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    let mut found = found(text);
    find_values(text, Source::Output, &mut found);
    without(text, found)
}

/// Removes the same as [`text`] from a text in a message, which may be prose.
pub(super) fn of_message(text: &str) -> Cow<'_, str> {
    let mut found = found(text);
    find_values(text, Source::Message, &mut found);
    without(text, found)
}

fn found(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find_urls(text, &mut found);
    find_credentials(text, &mut found);
    forms::find(text, &mut found);
    found
}

/// Finds the lines of private keys in output that is recorded line by line.
#[derive(Debug, Default)]
pub(crate) struct KeyLines(usize);

impl KeyLines {
    /// Returns a line without secrets. All lines of a key are secrets.
    pub(crate) fn clean(&mut self, line: &str) -> String {
        if self.0 > 0 {
            self.0 = if forms::closes_key(line) {
                0
            } else {
                self.0 - 1
            };
            return REMOVED.to_owned();
        }
        if forms::opens_key(line) {
            self.0 = KEY_LINES;
        }
        text(line).into_owned()
    }
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
            && is_secret_name(name, Place::Query)
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

fn find_values(text: &str, source: Source, found: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (at, sign) in text.match_indices(['=', ':']) {
        if at < done {
            continue;
        }
        let before = text.get(..at).unwrap_or_default();
        let spaced = before.trim_end_matches(' ');
        let unquoted = spaced.trim_end_matches(['"', '\'', '\\']);
        let letters = unquoted.bytes().rev().take(NAME);
        let length = letters
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
            .count();
        let name = unquoted.get(unquoted.len() - length..).unwrap_or_default();
        let is_quoted = unquoted.len() < spaced.len();
        if !(is_secret_name(name, Place::Member) || (is_quoted && is_capability(name))) {
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
        let shown = value.get(..length).unwrap_or_default();
        let is_value = match source {
            Source::Output => true,
            Source::Message if is_quoted || quote.is_some() => length < value.len(),
            Source::Message if sign == "=" => opening.is_empty() && spaced.len() == before.len(),
            Source::Message => {
                let line = unquoted.get(..unquoted.len() - name.len());
                let line = line.unwrap_or_default().rsplit('\n').next();
                let is_first =
                    line.is_some_and(|line| line.trim_matches([' ', '\t', '-']).is_empty());
                let after = value.get(length..).unwrap_or_default();
                let is_last = after
                    .trim_start_matches([' ', '\t', '\r'])
                    .starts_with('\n')
                    || after.trim().is_empty();
                let is_word = shown.len() >= VALUE && !KINDS.contains(&shown);
                is_first && is_last && (is_word || is_header)
            }
        };
        if is_value && !is_placeholder(name, shown) {
            let start = start + rest.len() - value.len();
            found.push(start..start + length);
            done = start + length;
        }
    }
}

/// Returns `true` for members whose value is the permission to use what it names.
pub(super) fn is_capability(name: &str) -> bool {
    matches!(name, "httpUrl" | "taskId")
}

/// Returns `true` for a value that stands for another one, such as `${TOKEN}`, and for a number of
/// tokens.
fn is_placeholder(name: &str, value: &str) -> bool {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    value.is_empty()
        || (counts(name) && is_number)
        || value.starts_with('=')
        || value == REMOVED
        || ["${", "$(", "{{"]
            .iter()
            .any(|start| value.starts_with(start))
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
