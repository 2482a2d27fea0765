//! Encoding of values: `Serialize`, and `Display` as compact JSON.

use std::fmt;

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

/// Writes compact JSON, or indented JSON for `{:#}`.
fn display<T: Serialize>(value: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = if f.alternate() {
        serde_json::to_string_pretty(value)
    } else {
        to_string(value)
    };
    f.write_str(&text.map_err(|_| fmt::Error)?)
}
