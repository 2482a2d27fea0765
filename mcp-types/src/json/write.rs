//! Writing values: `Serialize` and compact JSON as `Display`.

use std::{fmt, io};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Map, Value};

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
    let pretty = f.alternate();
    let writer = Utf8(f);
    let written = if pretty {
        serde_json::to_writer_pretty(writer, value)
    } else {
        serde_json::to_writer(writer, value)
    };
    written.map_err(|_| fmt::Error)
}

/// Bytes that are known to be text in pieces of whole characters, as `serde_json` writes them.
struct Utf8<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl io::Write for Utf8<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
