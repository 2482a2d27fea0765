//! [`parse`]: a YAML document of limited size as a JSON value.
//!
//! Shared by the crates of the workspace; not intended for other crates.

use std::collections::HashSet;

use mcp_types::json::{Number, Object, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use thiserror::Error;

/// What a document may contain at most.
#[derive(Clone, Copy, Debug)]
pub struct YamlLimits {
    /// The depth of lists and mappings, which is also the depth of recursion.
    pub depth: usize,
    /// The number of values, lists and mappings included.
    pub values: usize,
}

/// A YAML document is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum YamlError {
    /// The text is not YAML.
    #[error("invalid YAML: {0}")]
    Syntax(String),
    /// A few aliases can stand for values of any size.
    #[error("an alias (`*name`), which is not permitted")]
    Alias,
    /// Lists and mappings are nested too deeply.
    #[error("more than {0} levels of lists and mappings")]
    Depth(usize),
    /// The document has too many values.
    #[error("more than {0} values")]
    Values(usize),
    /// A mapping has two members of this name.
    #[error("the key `{0}` occurs twice")]
    DuplicateKey(String),
    /// The key of a mapping is a list or a mapping.
    #[error("a key that is not text")]
    Key,
    /// JSON has no value for this one.
    #[error("`{0}`, which JSON cannot express")]
    NotJson(String),
    /// There is more than one document.
    #[error("more than one document")]
    Documents,
}

/// Parses a document by the core schema of YAML 1.2. Aliases and tags for other types are errors.
///
/// The cost is bounded by the length of the text, which the caller limits.
///
/// # Errors
///
/// If the text is not a YAML document that JSON can express, or exceeds the limits.
pub fn parse(text: &str, limits: YamlLimits) -> Result<Value, YamlError> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
        limits,
        values: 0,
    };
    let mut document = None;
    loop {
        match reader.next()? {
            Event::StreamEnd => return Ok(document.unwrap_or_default()),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
            _ if document.is_some() => return Err(YamlError::Documents),
            event => document = Some(reader.value(event, 0)?),
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    limits: YamlLimits,
    values: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Event<'a>, YamlError> {
        match self.parser.next_event() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => Err(YamlError::Syntax(error.to_string())),
            None => Ok(Event::StreamEnd),
        }
    }

    /// Reads the value that begins with an event.
    fn value(&mut self, event: Event<'a>, depth: usize) -> Result<Value, YamlError> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(YamlError::Values(self.limits.values));
        }
        if depth > self.limits.depth {
            return Err(YamlError::Depth(self.limits.depth));
        }
        match event {
            Event::Scalar(text, style, _, tag) => scalar(&text, style, tag.as_deref()),
            Event::SequenceStart(_, tag) => {
                check_tag(tag.as_deref(), "seq")?;
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Value::Array(items)),
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(_, tag) => {
                check_tag(tag.as_deref(), "map")?;
                self.mapping(depth).map(Value::Object)
            }
            Event::Alias(_) => Err(YamlError::Alias),
            _ => Err(YamlError::Syntax("an unexpected end".to_owned())),
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Object, YamlError> {
        let mut members = Object::new();
        let mut names = HashSet::new();
        loop {
            let name = match self.next()? {
                Event::MappingEnd => return Ok(members),
                Event::Scalar(name, ..) => name.into_owned(),
                Event::Alias(_) => return Err(YamlError::Alias),
                _ => return Err(YamlError::Key),
            };
            let event = self.next()?;
            let value = self.value(event, depth + 1)?;
            members.push(&name, value);
            if let Some(name) = names.replace(name) {
                return Err(YamlError::DuplicateKey(name));
            }
        }
    }
}

/// Returns an error unless a list or mapping has no tag, or the one of its own type.
fn check_tag(tag: Option<&Tag>, own: &str) -> Result<(), YamlError> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() || tag.suffix != own => {
            Err(YamlError::NotJson(tag.to_string()))
        }
        _ => Ok(()),
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, YamlError> {
    check_tag(tag, "str")?;
    if tag.is_some() || style != ScalarStyle::Plain {
        return Ok(Value::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match number(text) {
            Some(number) if number.is_finite() => integer(text)
                .map(Number::from)
                .or_else(|| Number::from_f64(number))
                .map_or(Value::Null, Value::Number),
            Some(_) => return Err(YamlError::NotJson(text.to_owned())),
            None => Value::String(text.to_owned()),
        },
    })
}

/// Returns the value of a text that is a number.
fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    if let Some(integer) = integer(text) {
        #[expect(clippy::cast_precision_loss, reason = "only says that it is a number")]
        return Some(integer as f64);
    }
    // Rust also parses `inf`, `nan` and `infinity`, which are text here.
    let is_float = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.contains(|c: char| c.is_ascii_digit())
        && unsigned
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    is_float.then(|| text.parse().ok()).flatten()
}

fn integer(text: &str) -> Option<i64> {
    let radix = |digits: &str, radix| {
        let is_unsigned = digits.starts_with(|first: char| first.is_ascii_hexdigit());
        is_unsigned.then(|| i64::from_str_radix(digits, radix).ok())?
    };
    match text.split_at_checked(2) {
        Some(("0x", digits)) => radix(digits, 16),
        Some(("0o", digits)) => radix(digits, 8),
        _ => text.parse().ok(),
    }
}
