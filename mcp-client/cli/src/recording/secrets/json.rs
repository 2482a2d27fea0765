//! Secrets in a message. Everything else keeps its bytes.

use std::borrow::Cow;
use std::ops::Range;

use mcp_client::types::json::NESTING_LIMIT;

use super::{REMOVED, counts, is_secret, urls};

/// Members whose values are JSON Schemas: there, names are those of members and not of values.
const SCHEMAS: [&str; 3] = ["inputSchema", "outputSchema", "requestedSchema"];

/// Members of a schema with values.
const VALUES: [&str; 4] = ["default", "const", "enum", "examples"];

/// How often JSON text within strings is looked at.
const TEXTS: usize = 2;

/// What is removed of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hidden {
    #[default]
    Nothing,
    Strings,
    /// Strings and numbers.
    All,
}

/// What is known of a value before it is read.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    hidden: Hidden,
    /// Whether it is a part of a schema.
    schema: bool,
    /// Whether it is the schema of a secret.
    of_secret: bool,
    role: Role,
}

/// The role of a member in pairs such as `{"name": "token", "value": "abc"}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Other,
    Name,
    Value,
}

/// An object or an array that is being read.
#[derive(Debug, Default)]
struct Frame {
    is_object: bool,
    /// Whether the next string is the name of a member.
    expects_name: bool,
    own: Context,
    member: Context,
    /// Whether a member `name` says that the member `value` is a secret.
    names_secret: bool,
    value: Option<Range<usize>>,
}

/// Returns `true` if arrays and objects nest deeper than any decoder of messages allows. Each level
/// costs more memory than its byte when secrets are removed.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' if depth == NESTING_LIMIT => return true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = if byte == b'"' {
            string_end(bytes, at)
        } else {
            at + 1
        };
    }
    false
}

/// Returns a text, which must be valid JSON, without secrets.
pub(crate) fn message(text: &str) -> Cow<'_, str> {
    scrub(text, TEXTS)
}

fn scrub(text: &str, texts: usize) -> Cow<'_, str> {
    let mut edits = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'"' => string_end(bytes, at),
            b'-' | b'0'..=b'9' => number_end(bytes, at),
            _ => at + 1,
        };
        match byte {
            b'{' | b'[' => {
                let own = frames.last().map(Frame::context).unwrap_or_default();
                frames.push(Frame {
                    is_object: byte == b'{',
                    expects_name: byte == b'{',
                    own,
                    ..Frame::default()
                });
            }
            b'}' | b']' => {
                if let Some(frame) = frames.pop()
                    && frame.names_secret
                    && let Some(value) = frame.value
                {
                    edits.push((value, quoted(REMOVED)));
                }
            }
            b',' => {
                if let Some(frame) = frames.last_mut() {
                    frame.expects_name = frame.is_object;
                }
            }
            b'"' => {
                let string = text.get(at..end).unwrap_or_default();
                match frames.last_mut() {
                    Some(frame) if frame.expects_name => frame.enter(string),
                    frame => scrub_string(string, at, frame, texts, &mut edits),
                }
            }
            b'-' | b'0'..=b'9' => {
                if let Some(frame) = frames.last_mut() {
                    let context = frame.context();
                    if context.hidden == Hidden::All {
                        edits.push((at..end, quoted(REMOVED)));
                    } else if context.role == Role::Value {
                        frame.value = Some(at..end);
                    }
                }
            }
            _ => {}
        }
        at = end;
    }
    apply(text, edits)
}

fn scrub_string(
    string: &str,
    at: usize,
    frame: Option<&mut Frame>,
    texts: usize,
    edits: &mut Vec<(Range<usize>, String)>,
) {
    let range = at..at + string.len();
    if let Some(frame) = frame {
        let context = frame.context();
        if context.hidden != Hidden::Nothing {
            if string.len() > 2 {
                edits.push((range, quoted(REMOVED)));
            }
            return;
        }
        match context.role {
            Role::Name => frame.names_secret |= is_secret(&unquoted(string)),
            Role::Value => frame.value = Some(range.clone()),
            Role::Other => {}
        }
    }
    // Most strings contain neither a URL nor credentials nor JSON.
    let inner = string.get(1..string.len() - 1).unwrap_or_default();
    let may_be_json = texts > 0 && inner.trim_start().starts_with(['{', '[', '\\']);
    if !(may_be_json || inner.contains('/') || inner.contains(' ')) {
        return;
    }
    let value = unquoted(string);
    let is_json = may_be_json && serde_json::from_str::<serde::de::IgnoredAny>(&value).is_ok();
    let clean = if is_json && is_too_deep(&value) {
        super::text(&value)
    } else if is_json {
        scrub(&value, texts - 1)
    } else {
        urls(&value)
    };
    if *clean != *value {
        edits.push((range, quoted(&clean)));
    }
}

impl Frame {
    /// Returns what is known of the next value.
    fn context(&self) -> Context {
        if self.is_object {
            self.member
        } else {
            self.own
        }
    }

    /// Begins a member.
    fn enter(&mut self, name: &str) {
        self.expects_name = false;
        let name = &*unquoted(name);
        let own = self.own;
        let mut member = Context {
            of_secret: false,
            role: Role::Other,
            ..own
        };
        if own.hidden == Hidden::Nothing {
            if is_secret(name) {
                if own.schema {
                    member.of_secret = true;
                } else if counts(name) {
                    member.hidden = Hidden::Strings;
                } else {
                    member.hidden = Hidden::All;
                }
            } else if own.of_secret && VALUES.contains(&name) {
                member.hidden = Hidden::All;
            }
            member.role = match name {
                "name" | "key" => Role::Name,
                "value" => Role::Value,
                _ => Role::Other,
            };
        }
        member.schema |= SCHEMAS.contains(&name);
        self.member = member;
    }
}

/// Returns the position after a string.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    start + rest.iter().take_while(|byte| is_part(byte)).count()
}

fn unquoted(string: &str) -> Cow<'_, str> {
    if string.contains('\\') {
        return serde_json::from_str::<String>(string)
            .unwrap_or_default()
            .into();
    }
    string.trim_matches('"').into()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>) -> Cow<'_, str> {
    if edits.is_empty() {
        return text.into();
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for (range, replacement) in edits {
        // A value can be removed for two reasons.
        if range.start >= done {
            clean.push_str(text.get(done..range.start).unwrap_or_default());
            clean.push_str(&replacement);
            done = range.end;
        }
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    clean.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_and_all_else_keeps_its_bytes() {
        for (given, expected) in [
            (
                r#"{"a": 1.0, "token" : "x"}"#,
                r#"{"a": 1.0, "token" : "[removed]"}"#,
            ),
            (
                r#"{"password":12,"ok":true}"#,
                r#"{"password":"[removed]","ok":true}"#,
            ),
            (
                r#"{"credentials":{"user":["a",1]},"b":"c"}"#,
                r#"{"credentials":{"user":["[removed]","[removed]"]},"b":"c"}"#,
            ),
            (
                r#"{"name":"api_key","value":"x"}"#,
                r#"{"name":"api_key","value":"[removed]"}"#,
            ),
            (
                r#"{"value":"x","name":"api_key"}"#,
                r#"{"value":"[removed]","name":"api_key"}"#,
            ),
            (
                r#"{"inputSchema":{"properties":{"token":{"type":"string","default":"x"}}}}"#,
                r#"{"inputSchema":{"properties":{"token":{"type":"string","default":"[removed]"}}}}"#,
            ),
            (
                r#"{"text":"{\"API_KEY\": \"x\", \"é\": 1}"}"#,
                r#"{"text":"{\"API_KEY\": \"[removed]\", \"é\": 1}"}"#,
            ),
            (r#"{"to\u006ben":"x"}"#, r#"{"to\u006ben":"[removed]"}"#),
            (
                r#"["see https://a:b@c/"]"#,
                r#"["see https://[removed]@c/"]"#,
            ),
        ] {
            assert_eq!(message(given), expected);
        }
        for same in [
            r#"{"_meta":{"progressToken":"x"},"maxTokens": 100}"#,
            r#"{ "token": "" , "secret":null}"#,
            r#"{"text":"the token \" is \\", "n":-1.5e+3}"#,
            r#"{"properties":["token"]}"#,
        ] {
            assert_eq!(message(same), same);
        }
    }
}
