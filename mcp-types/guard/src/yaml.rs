//! [`parse`]: a YAML document of limited size as a JSON value.

use std::collections::{HashMap, HashSet};

use mcp_types::json::{Number, Object, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use thiserror::Error;

/// What a document may contain at most.
#[derive(Clone, Copy, Debug)]
pub struct YamlLimits {
    /// The depth of lists and mappings, which is also the depth of recursion.
    pub depth: usize,
    /// The number of values, lists and mappings included, also those that aliases repeat.
    pub values: usize,
    /// The number of bytes that aliases and what they refer to may have, each time. With 0, a
    /// document has no aliases, and `<<` is a key like others.
    pub alias_bytes: usize,
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
    /// The aliases stand for too much.
    #[error("aliases (`*name`) that stand for more than {0} bytes")]
    Aliases(usize),
    /// An alias is a part of what it refers to.
    #[error("an alias (`*name`) within the value that it refers to")]
    Circle,
    /// The value of the key `<<` is no mapping.
    #[error("a key `<<` whose value is not a mapping or a list of mappings")]
    Merge,
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

/// Parses a document by the core schema of YAML 1.2. Tags for other types are errors. If the limits
/// permit aliases, the members of the value of a key `<<` are added to its mapping, which may replace
/// them.
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
        alias_bytes: limits.alias_bytes,
        anchors: HashMap::new(),
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
    /// What is left of `YamlLimits::alias_bytes`.
    alias_bytes: usize,
    /// The values that aliases can refer to, and their depth.
    anchors: HashMap<usize, Anchored>,
}

#[derive(Clone)]
struct Anchored {
    value: Value,
    size: Size,
}

/// The size of a value.
#[derive(Clone, Copy, Default)]
struct Size {
    bytes: usize,
    values: usize,
    depth: usize,
}

impl Size {
    fn of(value: &Value) -> Self {
        let mut size = Self::default();
        match value {
            Value::String(text) => size.bytes = text.len(),
            Value::Array(items) => items.iter().for_each(|item| size.add(Self::of(item))),
            Value::Object(members) => {
                for (name, member) in members {
                    size.bytes += name.len();
                    size.add(Self::of(member));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        size.bytes += size_of::<Value>();
        size.values += 1;
        size
    }

    /// Adds a part of a list or mapping.
    fn add(&mut self, part: Self) {
        self.bytes += part.bytes;
        self.values += part.values;
        self.depth = self.depth.max(part.depth + 1);
    }
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
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (scalar(&text, style, tag.as_deref())?, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), "seq")?;
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => break,
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
                (Value::Array(items), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), "map")?;
                (self.mapping(depth)?.into(), anchor)
            }
            Event::Alias(anchor) => return self.alias(anchor, depth),
            _ => return Err(YamlError::Syntax("an unexpected end".to_owned())),
        };
        // The parser counts anchors from 1.
        if anchor != 0 && self.limits.alias_bytes > 0 {
            let size = Size::of(&value);
            self.take(size.bytes)?;
            let value = value.clone();
            self.anchors.insert(anchor, Anchored { value, size });
        }
        Ok(value)
    }

    /// Returns a copy of the value that an alias refers to.
    fn alias(&mut self, anchor: usize, depth: usize) -> Result<Value, YamlError> {
        if self.limits.alias_bytes == 0 {
            return Err(YamlError::Alias);
        }
        let size = match self.anchors.get(&anchor) {
            Some(anchored) => anchored.size,
            // The parser refuses aliases without an anchor, and this anchor has no value yet.
            None => return Err(YamlError::Circle),
        };
        self.take(size.bytes)?;
        self.values += size.values;
        if self.values > self.limits.values {
            return Err(YamlError::Values(self.limits.values));
        }
        if depth + size.depth > self.limits.depth {
            return Err(YamlError::Depth(self.limits.depth));
        }
        let anchored = self.anchors.get(&anchor);
        Ok(anchored.map(|it| it.value.clone()).unwrap_or_default())
    }

    fn take(&mut self, bytes: usize) -> Result<(), YamlError> {
        let left = self.alias_bytes.checked_sub(bytes);
        self.alias_bytes = left.ok_or(YamlError::Aliases(self.limits.alias_bytes))?;
        Ok(())
    }

    fn mapping(&mut self, depth: usize) -> Result<Object, YamlError> {
        let mut members = Object::new();
        let mut names = HashSet::new();
        let mut merged = Vec::new();
        loop {
            let (name, is_plain) = match self.next()? {
                Event::MappingEnd => break,
                Event::Scalar(name, style, ..) => (name.into_owned(), style == ScalarStyle::Plain),
                Event::Alias(_) => return Err(YamlError::Alias),
                _ => return Err(YamlError::Key),
            };
            let event = self.next()?;
            let value = self.value(event, depth + 1)?;
            if name == "<<" && is_plain && self.limits.alias_bytes > 0 {
                merged.push(value);
            } else {
                members.push(&name, value);
            }
            if let Some(name) = names.replace(name) {
                return Err(YamlError::DuplicateKey(name));
            }
        }
        for value in merged {
            let sources = match value {
                Value::Array(items) => items,
                value => vec![value],
            };
            // The first mapping that has a member wins.
            for source in sources {
                let Value::Object(source) = source else {
                    return Err(YamlError::Merge);
                };
                for (name, value) in source {
                    if names.insert(name.clone()) {
                        members.push(&name, value);
                    }
                }
            }
        }
        Ok(members)
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: YamlLimits = YamlLimits {
        depth: 8,
        values: 1_000,
        alias_bytes: 10_000,
    };

    fn read(text: &str) -> Result<String, YamlError> {
        parse(text, LIMITS).map(|value| value.to_string())
    }

    #[test]
    fn aliases_are_copies_and_merge_keys_add_members() {
        assert_eq!(
            read("a: &x {k: [1]}\nb: *x\nc: &y text\nd: [*y, *y]").unwrap(),
            r#"{"a":{"k":[1]},"b":{"k":[1]},"c":"text","d":["text","text"]}"#
        );
        // The members of the mapping itself win, then those of the first one in the list.
        assert_eq!(
            read("a: &x {k: 1, l: 2}\nb: &y {k: 3, m: 4}\nc: {<<: [*y, *x], l: 5}").unwrap(),
            r#"{"a":{"k":1,"l":2},"b":{"k":3,"m":4},"c":{"l":5,"k":3,"m":4}}"#
        );
        assert_eq!(read("'<<': 1").unwrap(), r#"{"<<":1}"#);
        assert_eq!(read("<<: 1").unwrap_err(), YamlError::Merge);
    }

    #[test]
    fn aliases_are_bounded() {
        let mut laughs = "a0: &a0 [lol, lol]\n".to_owned();
        for level in 1..7 {
            let before = level - 1;
            laughs.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}]\n"));
        }
        assert_eq!(read(&laughs).unwrap_err(), YamlError::Aliases(10_000));
        let long = format!("a: &a {}\nb: [*a, *a, *a]", "x".repeat(4_000));
        assert_eq!(read(&long).unwrap_err(), YamlError::Aliases(10_000));
        let many = format!("a: &a [{}]\nb: [*a, *a, *a]", "1,".repeat(300));
        let limits = YamlLimits {
            alias_bytes: 1 << 20,
            ..LIMITS
        };
        assert_eq!(parse(&many, limits).unwrap_err(), YamlError::Values(1_000));
        assert_eq!(
            read("a: &a [[[[[1]]]]]\nb: [[[[*a]]]]").unwrap_err(),
            YamlError::Depth(8)
        );
        assert_eq!(read("a: &a [*a]").unwrap_err(), YamlError::Circle);
        let none = YamlLimits {
            alias_bytes: 0,
            ..LIMITS
        };
        assert_eq!(parse("a: &a 1\nb: *a", none).unwrap_err(), YamlError::Alias);
    }
}
