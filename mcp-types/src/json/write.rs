//! Writing values: `Serialize` and compact JSON as `Display`.

use std::fmt::{self, Write as _};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Map, Value, to_string};

impl Serialize for Value {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(elements) => elements.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl<V: Serialize> Serialize for Map<V> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f)
    }
}

impl<V: Serialize> fmt::Display for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f)
    }
}

/// Compact JSON, or indented where `{:#}` asks for it.
fn display<T: Serialize>(value: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = to_string(value).map_err(|_| fmt::Error)?;
    if f.alternate() {
        indented(&text, f)
    } else {
        f.write_str(&text)
    }
}

/// Writes compact JSON as `serde_json` indents it: two blanks for each level.
fn indented(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut last = ' ';
    for c in text.chars() {
        let opened = !quoted && matches!(last, '{' | '[');
        let closes = !quoted && matches!(c, '}' | ']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        if opened != closes || (!quoted && last == ',') {
            line(depth, f)?;
        }
        f.write_char(c)?;
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            ':' if !quoted => f.write_char(' ')?,
            _ => {}
        }
        last = if quoted { ' ' } else { c };
    }
    Ok(())
}

/// Begins a line.
fn line(depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('\n')?;
    for _ in 0..depth {
        f.write_str("  ")?;
    }
    Ok(())
}
