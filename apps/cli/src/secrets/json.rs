//! Secrets in a message. Everything else keeps its bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use mcp_client::types::json::NESTING_LIMIT;

use super::names::counts;
use super::text::{is_capability, of_message};
use super::{Place, REMOVED, is_secret_name};

/// Members whose values are JSON Schemas: there, names are those of members and not of values.
const SCHEMAS: [&str; 3] = ["inputSchema", "outputSchema", "requestedSchema"];

/// Members of a schema with values.
const VALUES: [&str; 4] = ["default", "const", "enum", "examples"];

/// Members of messages in which `taskId` is that of a task, and not an argument of a tool.
const OF_PROTOCOL: [&str; 8] = [
    "_meta",
    "data",
    "error",
    "io.modelcontextprotocol/related-task",
    "params",
    "result",
    "task",
    "tasks",
];

/// How often JSON text within strings is looked at.
const TEXTS: usize = 2;

/// The maximum number of tasks of a recording that get numbers of their own.
const TASKS: usize = 10_000;

/// The ids of tasks in a recording. Who has the id of a task can read its result, so each is
/// replaced by its number, such as `[task 1]`.
#[derive(Debug, Default)]
pub(crate) struct TaskIds(HashMap<String, usize>);

impl TaskIds {
    /// Returns what replaces the id of a task.
    pub(crate) fn number(&mut self, id: &str) -> String {
        let next = self.0.len() + 1;
        if next > TASKS && !self.0.contains_key(id) {
            return REMOVED.to_owned();
        }
        let number = *self.0.entry(id.to_owned()).or_insert(next);
        format!("[task {number}]")
    }

    fn known(&mut self, text: &str) -> Option<String> {
        self.0.contains_key(text).then(|| self.number(text))
    }
}

/// What is removed of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hidden {
    #[default]
    Nothing,
    Strings,
    /// Strings and numbers.
    All,
    /// All of a URL but its origin.
    Url,
    /// The id of a task.
    Task,
}

/// What is known of a value before it is read.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    hidden: Hidden,
    /// Whether it is a part of a schema.
    schema: bool,
    /// Whether it is the schema of a secret.
    of_secret: bool,
    /// Whether its members are those of the protocol.
    of_protocol: bool,
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

/// Returns a text, which must be valid JSON, without secrets. Ids of tasks are kept without
/// `tasks`.
pub(crate) fn message<'a>(text: &'a str, tasks: Option<&mut TaskIds>) -> Cow<'a, str> {
    let mut scrubber = Scrubber {
        tasks,
        texts: TEXTS,
        edits: Vec::new(),
    };
    scrubber.scrub(text)
}

struct Scrubber<'a> {
    tasks: Option<&'a mut TaskIds>,
    /// How often JSON text within strings is still looked at.
    texts: usize,
    edits: Vec<(Range<usize>, String)>,
}

impl Scrubber<'_> {
    fn scrub<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
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
                    let of_message = Context {
                        of_protocol: self.texts == TEXTS,
                        ..Context::default()
                    };
                    frames.push(Frame {
                        is_object: byte == b'{',
                        expects_name: byte == b'{',
                        own: frames.last().map_or(of_message, Frame::context),
                        ..Frame::default()
                    });
                }
                b'}' | b']' => {
                    if let Some(frame) = frames.pop()
                        && frame.names_secret
                        && let Some(value) = frame.value
                    {
                        self.edits.push((value, quoted(REMOVED)));
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
                        frame => self.scrub_string(string, at, frame),
                    }
                }
                b'-' | b'0'..=b'9' => {
                    if let Some(frame) = frames.last_mut() {
                        let context = frame.context();
                        if context.hidden == Hidden::All {
                            self.edits.push((at..end, quoted(REMOVED)));
                        } else if context.role == Role::Value {
                            frame.value = Some(at..end);
                        }
                    }
                }
                _ => {}
            }
            at = end;
        }
        apply(text, std::mem::take(&mut self.edits))
    }

    fn scrub_string(&mut self, string: &str, at: usize, frame: Option<&mut Frame>) {
        let range = at..at + string.len();
        let inner = string.get(1..string.len() - 1).unwrap_or_default();
        if let Some(frame) = frame {
            let context = frame.context();
            if context.hidden != Hidden::Nothing && !inner.is_empty() {
                let shown = self.hidden(context.hidden, &unquoted(string));
                self.edits
                    .extend(shown.map(|shown| (range, quoted(&shown))));
                return;
            }
            match context.role {
                Role::Name => {
                    frame.names_secret |= is_secret_name(&unquoted(string), Place::Member);
                }
                Role::Value => frame.value = Some(range.clone()),
                Role::Other => {}
            }
        }
        let value = unquoted(string);
        let known = self.tasks.as_mut().and_then(|tasks| tasks.known(&value));
        let clean = known.map_or_else(|| self.clean(&value), Cow::Owned);
        if *clean != *value {
            self.edits.push((range, quoted(&clean)));
        }
    }

    /// Returns what replaces a value of a member; `None` if it stays.
    fn hidden(&mut self, hidden: Hidden, value: &str) -> Option<String> {
        match hidden {
            Hidden::Nothing => None,
            Hidden::Strings | Hidden::All => Some(REMOVED.to_owned()),
            Hidden::Url => Some(match origin(value) {
                Some(origin) => format!("{origin}/{REMOVED}"),
                None => REMOVED.to_owned(),
            }),
            Hidden::Task => Some(self.tasks.as_mut()?.number(value)),
        }
    }

    /// Returns a string without secrets. It may contain JSON.
    fn clean<'t>(&mut self, value: &'t str) -> Cow<'t, str> {
        let may_be_json = self.texts > 0 && value.trim_start().starts_with(['{', '[', '"']);
        let is_json = may_be_json && serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok();
        if !is_json {
            return of_message(value);
        }
        if is_too_deep(value) {
            return super::text(value);
        }
        let edits = std::mem::take(&mut self.edits);
        self.texts -= 1;
        let clean = self.scrub(value);
        self.texts += 1;
        self.edits = edits;
        clean
    }
}

/// Returns the scheme and the host of a URL, with its port.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(format!("{scheme}://{host}"))
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
            of_protocol: own.of_protocol && OF_PROTOCOL.contains(&name),
            role: Role::Other,
            ..own
        };
        if own.hidden == Hidden::Nothing {
            if is_capability(name) && !own.schema {
                member.hidden = match name {
                    "taskId" if own.of_protocol => Hidden::Task,
                    "taskId" => Hidden::Nothing,
                    _ => Hidden::Url,
                };
            } else if is_secret_name(name, Place::Member) {
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
